// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace triode {

// The column families of the database. RocksDB insists on a default, which stays empty.
enum class Family : uint8_t {
  kDefault,
  kMeasurements,
  kArtifacts,
  kPlans,
  kModels,
  kMeta,
  kQuarantine,  // damaged records, and what of the spool makes no sense
  kSummaries,   // of problems; all of it can be made again from the measurements
};
inline constexpr size_t kFamilyCount = 8;
inline constexpr std::array<const char*, kFamilyCount> kFamilyNames = {
    "default", "measurements", "artifacts", "plans", "models", "meta", "quarantine", "summaries"};

inline constexpr const char* name_of(Family family) {
  return kFamilyNames[static_cast<size_t>(family)];
}

}  // namespace triode
