// SPDX-License-Identifier: Apache-2.0
// How the functions of the C interface fail.
#pragma once

#include <triode/triode.h>

#include <exception>
#include <new>
#include <string>

#include "core/status.h"

namespace triode::host {

// The code of an error, whose text triode_last_error() gives from now on, on this thread.
// `function` is the one that was called.
triode_status fail(const char* function, const Status& error) noexcept;
triode_status fail(const char* function, triode_status code, const std::string& text) noexcept;

// See triode_last_error().
const char* last_error() noexcept;

// The Status that `body` returns, as a code; what it throws becomes one, too. Not for code that
// calls a vendor's function: a thread that is cancelled there unwinds.
template <typename Body>
triode_status guarded(const char* function, const Body& body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? TRIODE_OK : fail(function, status);
  } catch (const std::bad_alloc&) {
    return fail(function, TRIODE_RESOURCE_EXHAUSTED, "memory ran out");
  } catch (const std::exception& error) {
    return fail(function, TRIODE_INTERNAL, error.what());
  }
}

}  // namespace triode::host
