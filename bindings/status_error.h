// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/status.h"

namespace triode::python {

// A Status on its way to Python. Thrown and caught inside this module only, with or without the
// interpreter's lock held.
class StatusError : public std::exception {
 public:
  explicit StatusError(Status status) : status_(std::move(status)) {}
  const Status& status() const { return status_; }
  const char* what() const noexcept override { return status_.message().c_str(); }

 private:
  Status status_;
};

// Success, or its error thrown as a StatusError.
inline void or_throw(Status status) {
  if (!status.ok()) throw StatusError(std::move(status));
}
template <typename T>
T or_throw(Result<T> result) {
  if (!result.ok()) throw StatusError(result.status());
  return std::move(result).take();
}

// From now on a StatusError that leaves a bound function becomes a ValueError (invalid argument),
// NotImplementedError (unsupported), MemoryError (resource exhausted) or RuntimeError (the rest).
void register_status_errors();

}  // namespace triode::python
