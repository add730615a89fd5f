// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace triode {

// Why an operation failed, in the few kinds a caller acts on differently.
enum class StatusCode {
  kOk,
  kInvalidArgument,    // the input is wrong; the message says which part
  kNotFound,           // a name, file or symbol does not exist
  kUnsupported,        // valid, but this build or machine cannot do it
  kResourceExhausted,  // memory, disk, or a budget ran out
  kCorrupt,            // stored bytes do not make sense
  kUnavailable,        // another process or device did not answer; may be retried
  kInternal,           // a promise inside Triode was broken
};

std::string_view to_string(StatusCode code);

// Success, or a code and a message that says what was attempted and what to do next.
// Success costs no allocation. See docs/adr/0001-error-type.md.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {
    assert(code != StatusCode::kOk && "an error needs an error code");
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "invalid argument: ..." for logs and command lines.
  std::string to_string() const;

  const Status& status() const { return *this; }
  void take() const {}

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

Status invalid_argument(std::string message);
Status not_found(std::string message);
Status unsupported(std::string message);
Status resource_exhausted(std::string message);
Status corrupt(std::string message);
Status unavailable(std::string message);
Status internal_error(std::string message);

// A value, or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(state_).ok() && "a Result without a value needs an error");
  }

  bool ok() const { return state_.index() == 0; }

  // The error. Only for a Result that is not ok().
  const Status& status() const {
    assert(!ok());
    return std::get<1>(state_);
  }

  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& take() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace triode

// Evaluates to the value of a Result, or passes its error (or a Status's) up to the caller:
//   const Problem problem = TRIODE_TRY(parse_problem(text));
//   TRIODE_TRY(cache.open());
#define TRIODE_TRY(expression)                             \
  __extension__({                                          \
    auto triode_try_result = (expression);                 \
    if (!triode_try_result.ok()) {                         \
      return ::triode::Status(triode_try_result.status()); \
    }                                                      \
    std::move(triode_try_result).take();                   \
  })
