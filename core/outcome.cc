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

std::string_view to_string(OutcomeKind kind) {
  return kOutcomes.name_of(kind);
}

Result<OutcomeKind> parse_outcome_kind(std::string_view text) {
  return kOutcomes.parse(text);
}

}  // namespace triode
