// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

// The bytes of a stored trial: fields as cache/field_map.h seals them. Pure functions, for any
// thread.

// kInvalidArgument for times that are negative or not finite: no reader could rank them.
Result<std::string> encode_record(const TrialRecord& record);

// kCorrupt, with the reason, for anything that encode_record did not write. Fields of a newer
// Triode go to TrialRecord::unknown.
Result<TrialRecord> decode_record(std::string_view bytes);

}  // namespace triode
