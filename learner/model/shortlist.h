// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/config.h"
#include "learner/model/feature_extractor.h"

namespace triode {

// A config of a task and what the first net thinks of it. Lower is better.
struct ScoredConfig {
  uint32_t index = 0;  // in the task's configs
  float score = 0;
};

// Those that could run on the device, with a score of zero, in the order of the list.
std::vector<ScoredConfig> fitting(const FeatureExtractor& extractor,
                                  std::span<const Config> configs);

// The `wanted` best, and of each mechanism class beyond them its best few, for policies to try. In
// no particular order; equal scores go by the config.
std::vector<ScoredConfig> shortlist(const FeatureExtractor& extractor,
                                    std::span<const Config> configs,
                                    std::vector<ScoredConfig> scored, size_t wanted);

}  // namespace triode
