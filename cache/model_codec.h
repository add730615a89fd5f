// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/model_store.h"
#include "core/status.h"

namespace triode {

// The bytes of models: under "entry" and "snapshot" with the digest, and "promoted" with the
// family. Values as cache/field_map.h seals them. Pure functions, for any thread.

// What is in force for a family.
struct Promotion {
  std::string digest;
  std::vector<std::string> before;  // in force before it, the last one first
  // Fields of a newer Triode, as in TrialRecord. Written again.
  std::string unknown = {};
  int32_t unknown_count = 0;
};

std::string model_entry_key(std::string_view digest);
std::string model_snapshot_key(std::string_view digest);
std::string promoted_key(std::string_view family);

std::string encode_model_entry(const ModelEntry& entry);
std::string encode_model_snapshot(std::string_view snapshot);
std::string encode_promotion(const Promotion& promotion);

// kCorrupt, with the reason.
Result<ModelEntry> decode_model_entry(const std::string& digest, std::string_view bytes);
Result<std::string> decode_model_snapshot(std::string_view bytes);
Result<Promotion> decode_promotion(std::string_view bytes);

// Any of the three, by its key.
Status check_model_record(std::string_view key, std::string_view value);

}  // namespace triode
