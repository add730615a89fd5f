// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/plan_store.h"
#include "core/status.h"

namespace triode {

// The bytes of plans: device, problem, vendor's build and symbol, threads and validity are the key
// (cache/key_codec.h), the rest the value (cache/field_map.h). Pure functions, for any thread.

std::string encode_plan_key(const PlanKey& key);
Result<PlanKey> decode_plan_key(std::string_view bytes);  // kCorrupt, with the reason

// kInvalidArgument for a speed-up that is negative or not finite.
Result<std::string> encode_plan(const PlanRecord& record);
Result<PlanRecord> decode_plan(std::string_view bytes);  // kCorrupt, with the reason

}  // namespace triode
