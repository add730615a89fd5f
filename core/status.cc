// SPDX-License-Identifier: Apache-2.0
#include "core/status.h"

#include "core/enum_names.h"

namespace triode {
namespace {

constexpr EnumNames<StatusCode, 8> kCodes = {
    "a status code",
    {"ok", "invalid argument", "not found", "unsupported", "resource exhausted", "corrupt",
     "unavailable", "internal error"}};

}  // namespace

std::string_view to_string(StatusCode code) {
  return kCodes.name_of(code);
}

std::string Status::to_string() const {
  std::string out(triode::to_string(code_));
  if (!message_.empty()) out += ": " + message_;
  return out;
}

Status invalid_argument(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}
Status not_found(std::string message) {
  return Status(StatusCode::kNotFound, std::move(message));
}
Status unsupported(std::string message) {
  return Status(StatusCode::kUnsupported, std::move(message));
}
Status resource_exhausted(std::string message) {
  return Status(StatusCode::kResourceExhausted, std::move(message));
}
Status corrupt(std::string message) {
  return Status(StatusCode::kCorrupt, std::move(message));
}
Status unavailable(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}
Status internal_error(std::string message) {
  return Status(StatusCode::kInternal, std::move(message));
}

}  // namespace triode
