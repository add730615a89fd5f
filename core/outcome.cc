// SPDX-License-Identifier: Apache-2.0
#include "core/outcome.h"

#include "core/enum_names.h"

namespace triode {
namespace {

constexpr EnumNames<OutcomeKind, 8> kOutcomes = {
    "an outcome",
    {"ok", "compile-failed", "launch-failed", "wrong-result", "timed-out", "crashed",
     "out-of-memory", "unstable"}};

}  // namespace

Outcome outcome_of_failure(const Status& status, OutcomeKind otherwise) {
  const bool is_memory = status.code() == StatusCode::kResourceExhausted;
  return {is_memory ? OutcomeKind::kOutOfMemory : otherwise, status.message()};
}

std::string_view to_string(OutcomeKind kind) {
  return kOutcomes.name_of(kind);
}

Result<OutcomeKind> parse_outcome_kind(std::string_view text) {
  return kOutcomes.parse(text);
}

}  // namespace triode
