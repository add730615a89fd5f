// SPDX-License-Identifier: Apache-2.0
#include "cache/summary_codec.h"

#include <cmath>
#include <vector>

#include "cache/field_map.h"
#include "cache/key_codec.h"

namespace triode {
namespace {

constexpr int kProblemComponents = 2;
constexpr size_t kPartComponents = 5;  // device, problem, toolchain, origin, outcome

bool is_time(double value) {
  return std::isfinite(value) && value >= 0;
}

bool is_sound(const SummaryPart& part) {
  return part.configs > 0 && is_time(part.best_ns) && is_time(part.paired_ns) &&
         is_time(part.paired_vendor_ns) && is_time(part.paired_speedup) && is_time(part.vendor_ns);
}

}  // namespace

std::string summary_part_key(std::string_view problem, const SummaryPart& part) {
  std::string key(problem);
  key += join_components({part.toolchain, part.origin, to_string(part.outcome)});
  key.pop_back();  // the last component has no end mark
  return key;
}

std::string encode_stale_mark() {
  return FieldWriter().seal();
}

std::string encode_summary_part(const SummaryPart& part) {
  FieldWriter fields;
  fields.add("configs", part.configs);
  fields.add("latest", part.latest_unix_s);
  if (part.best_ns > 0) {
    fields.add("best_ns", part.best_ns);
    fields.add("best_config", part.best_config);
  }
  if (part.paired_ns > 0) {
    if (part.paired_ns != part.best_ns) fields.add("paired_ns", part.paired_ns);
    fields.add("best_vendor_ns", part.paired_vendor_ns);
    fields.add("best_speedup", part.paired_speedup);
  }
  if (part.vendor_ns > 0) fields.add("vendor_ns", part.vendor_ns);
  return fields.seal();
}

Result<SummaryPart> decode_summary_part(std::string_view key, std::string_view value) {
  const std::vector<std::string> components = split_components(key);
  if (components.size() != kPartComponents) return corrupt("the key has not five components");
  const Result<OutcomeKind> outcome = parse_outcome_kind(components[4]);
  if (!outcome.ok()) return corrupt("the key is damaged: " + outcome.status().message());
  SummaryPart part;
  part.toolchain = components[2];
  part.origin = components[3];
  part.outcome = *outcome;
  FieldReader fields = TRIODE_TRY(FieldReader::open(value));
  fields.require("configs", part.configs);
  fields.require("latest", part.latest_unix_s);
  fields.read("best_ns", part.best_ns);
  fields.read("best_config", part.best_config);
  fields.read("paired_ns", part.paired_ns);
  fields.read("best_vendor_ns", part.paired_vendor_ns);
  fields.read("best_speedup", part.paired_speedup);
  fields.read("vendor_ns", part.vendor_ns);
  TRIODE_TRY(fields.finish());
  if (part.paired_ns == 0 && part.paired_vendor_ns > 0) part.paired_ns = part.best_ns;
  if (!is_sound(part)) return corrupt("a stored value is damaged: its figures make no sense");
  return part;
}

Status check_summary_record(std::string_view key, std::string_view value) {
  if (end_of_components(key, kProblemComponents) == key.size()) {
    TRIODE_TRY(FieldReader::open(value));
    return {};
  }
  TRIODE_TRY(decode_summary_part(key, value));
  return {};
}

}  // namespace triode
