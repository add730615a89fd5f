// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/tuner/ranker.h"

namespace triode::tuner {

// Knows nothing of earlier problems: begins with x86::promising_configs, spread over threads where
// there are any, then changes one or two parameters of the best. Learns nothing, and is sure of
// nothing.
class HeuristicRanker final : public Ranker {
 public:
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override;
  std::optional<Config> choose(const Problem&, const Space&, std::span<const Trial>) override {
    return std::nullopt;
  }
  void learn(const Problem&, const Space&, const Trial&) override {}
  void review(const Problem&, const Space&, std::span<const Trial>) override {}
  bool reflect(const Clock&, std::chrono::nanoseconds) override { return false; }
  double expected_saving(const Problem& problem) override;
};

}  // namespace triode::tuner
