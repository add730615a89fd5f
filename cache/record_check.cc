// SPDX-License-Identifier: Apache-2.0
#include "cache/record_check.h"

#include <algorithm>

#include "cache/artifact_codec.h"
#include "cache/field_map.h"
#include "cache/key_codec.h"
#include "cache/model_codec.h"
#include "cache/plan_codec.h"
#include "cache/record_codec.h"
#include "cache/summary_codec.h"

namespace triode {
namespace {

Status check_meta(std::string_view value) {
  const bool is_number = !value.empty() && std::all_of(value.begin(), value.end(),
                                                       [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? Status() : corrupt("it is no number");
}

Status check_measurement(std::string_view key, std::string_view value) {
  SampleKey parsed;
  TRIODE_TRY(decode_sample_key(key, parsed));
  TRIODE_TRY(decode_record(value));
  return {};
}

Status check_plan(std::string_view key, std::string_view value) {
  TRIODE_TRY(decode_plan_key(key));
  TRIODE_TRY(decode_plan(value));
  return {};
}

}  // namespace

Status check_record(Family family, std::string_view key, std::string_view value) {
  switch (family) {
    case Family::kMeasurements:
      return check_measurement(key, value);
    case Family::kArtifacts:
      return check_artifact_record(key, value);
    case Family::kPlans:
      return check_plan(key, value);
    case Family::kModels:
      return check_model_record(key, value);
    case Family::kMeta:
      return check_meta(value);
    case Family::kQuarantine:
      TRIODE_TRY(FieldReader::open(value));
      return {};
    case Family::kSummaries:
      return check_summary_record(key, value);
    case Family::kDefault:
      break;
  }
  return corrupt("nothing of ours is in the default family");
}

}  // namespace triode
