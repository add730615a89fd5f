// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/tuner/ranker.h"

namespace triode::tuner {

// Knows nothing of earlier problems: begins with x86::promising_configs, spread over threads where
// there are any, then changes one or two parameters of the best.
class HeuristicRanker final : public Ranker {
 public:
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override;
  void learn(const Problem&, const Space&, const Trial&) override {}
  double expected_saving(const Problem& problem) override;
};

}  // namespace triode::tuner
