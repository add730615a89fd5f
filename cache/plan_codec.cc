// SPDX-License-Identifier: Apache-2.0
#include "cache/plan_codec.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "cache/field_map.h"
#include "cache/key_codec.h"

namespace triode {
namespace {

constexpr size_t kComponents = 6;

bool is_sound(const PlanRecord& record) {
  for (const double value :
       {record.speedup, record.speedup_spread, record.vendor_ns, record.plan_ns}) {
    if (!std::isfinite(value) || value < 0) return false;
  }
  return true;
}

}  // namespace

std::string encode_plan_key(const PlanKey& key) {
  std::string bytes = join_components({key.device, sortable_problem(to_string(key.problem)),
                                       key.vendor.build_id, key.vendor.symbol,
                                       std::to_string(key.threads), validity_text(key.validity)});
  bytes.pop_back();  // the last component has no end mark
  return bytes;
}

Result<PlanKey> decode_plan_key(std::string_view bytes) {
  const std::vector<std::string> parts = split_components(bytes);
  if (parts.size() != kComponents) return corrupt("the key has not six components");
  PlanKey key;
  key.device = parts[0];
  const Result<Problem> problem = parse_problem(plain_problem(parts[1]));
  if (!problem.ok()) return corrupt("the key has no problem: " + problem.status().message());
  key.problem = *problem;
  key.vendor = {.build_id = parts[2], .symbol = parts[3]};
  const char* end = parts[4].data() + parts[4].size();
  if (std::from_chars(parts[4].data(), end, key.threads).ptr != end) {
    return corrupt("the key has no number of threads");
  }
  key.validity = TRIODE_TRY(parse_validity(parts[5]));
  return key;
}

Result<std::string> encode_plan(const PlanRecord& record) {
  if (!is_sound(record)) {
    return invalid_argument("cannot store a plan whose figures are negative or not finite");
  }
  FieldWriter fields;
  fields.add("config", record.config);
  fields.add("code_digest", record.code_digest);
  fields.add("speedup", record.speedup);
  fields.add("speedup_spread", record.speedup_spread);
  if (record.vendor_ns > 0) fields.add("vendor_ns", record.vendor_ns);
  if (record.plan_ns > 0) fields.add("plan_ns", record.plan_ns);
  fields.add("when", record.when_unix_s);
  if (record.is_withdrawn) fields.add("withdrawn", true);
  if (!record.artifact.empty()) fields.add("artifact", record.artifact);
  return fields.seal(record.unknown, record.unknown_count);
}

Result<PlanRecord> decode_plan(std::string_view bytes) {
  FieldReader fields = TRIODE_TRY(FieldReader::open(bytes));
  PlanRecord record;
  fields.require("config", record.config);
  fields.require("code_digest", record.code_digest);
  fields.require("speedup", record.speedup);
  fields.require("speedup_spread", record.speedup_spread);
  fields.read("vendor_ns", record.vendor_ns);
  fields.read("plan_ns", record.plan_ns);
  fields.require("when", record.when_unix_s);
  fields.read("withdrawn", record.is_withdrawn);
  fields.read("artifact", record.artifact);
  TRIODE_TRY(fields.finish(record.unknown, record.unknown_count));
  if (!is_sound(record)) return corrupt("a stored plan is damaged: its figures make no sense");
  return record;
}

}  // namespace triode
