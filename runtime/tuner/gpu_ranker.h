// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/target.h"
#include "runtime/tuner/ranker.h"

namespace triode::tuner {

// Proposes configs of our GPU kernels by what is known of GPUs: few blocks that idle in the last
// wave, little computed beyond the edges, enough loads under way. Compiling one takes a second, so
// each counts. Learns nothing. Stateless; any thread.
class GpuRanker final : public Ranker {
 public:
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override;
  // Never sure enough.
  std::optional<Config> choose(const Problem&, const Space&, std::span<const Trial>) override {
    return std::nullopt;
  }
  void learn(const Problem&, const Space&, const Trial&) override {}
  void review(const Problem&, const Space&, std::span<const Trial>) override {}
  bool reflect(const Clock&, std::chrono::nanoseconds) override { return false; }
  double expected_saving(const Problem& problem) override;
};

// Estimated cost of a config, of which only the order means anything. On a GPU of so many
// multiprocessors.
double estimated_gpu_cost(const Problem& problem, const Space& space, const Config& config,
                          int multiprocessors);

}  // namespace triode::tuner
