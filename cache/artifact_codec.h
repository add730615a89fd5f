// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/artifact_store.h"
#include "cache/sample_key.h"
#include "core/status.h"

namespace triode {

// The bytes of artifacts: under "code" and "entry" with the digest, and under "made-for" with a
// sample's key. Values as cache/field_map.h seals them. Pure functions, for any thread.

std::string artifact_code_key(std::string_view digest);
std::string artifact_entry_key(std::string_view digest);
std::string made_for_key(const SampleKey& key);
std::string made_for_prefix();

std::string encode_artifact_code(std::string_view code);  // compresses
std::string encode_artifact_entry(const ArtifactEntry& entry);
std::string encode_made_for(std::string_view digest);

// kCorrupt, with the reason.
Result<std::string> decode_artifact_code(std::string_view bytes);
Result<ArtifactEntry> decode_artifact_entry(const std::string& digest, std::string_view bytes);
Result<std::string> decode_made_for(std::string_view bytes);

// Any of the three, by its key.
Status check_artifact_record(std::string_view key, std::string_view value);

}  // namespace triode
