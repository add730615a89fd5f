// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

namespace triode::host {

// What make() gives, or `otherwise` where it ran out of memory: for the ways of a call, which may
// not throw. The standard library throws then, and the program would end that could have gone on.
template <typename Value, typename Make>
Value or_without_memory(const Make& make, Value otherwise) noexcept {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return otherwise;
  }
}

}  // namespace triode::host
