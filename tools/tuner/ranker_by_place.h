// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/space.h"
#include "runtime/tuner/ranker.h"
#include "tools/tuner/gpu_rankers.h"

namespace triode::tuner {

// Ranks a processor's kernels by one ranker and GPUs' by others; they must outlive it.
class RankerByPlace final : public Ranker {
 public:
  RankerByPlace(Ranker& cpu, GpuRankers& gpus) : cpu_(cpu), gpus_(gpus) {}
  void face(const Target& target) override {
    cpu_.face(target);
    gpu_ = &gpus_.of(target);
  }
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override {
    return of(space).propose(problem, space, tried, count);
  }
  std::optional<Config> choose(const Problem& problem, const Space& space,
                               std::span<const Trial> known) override {
    return of(space).choose(problem, space, known);
  }
  void learn(const Problem& problem, const Space& space, const Trial& trial) override {
    of(space).learn(problem, space, trial);
  }
  void review(const Problem& problem, const Space& space, std::span<const Trial> known) override {
    of(space).review(problem, space, known);
  }
  bool reflect(const Clock& clock, std::chrono::nanoseconds slice) override {
    return cpu_.reflect(clock, slice);
  }
  double expected_saving(const Problem& problem) override { return cpu_.expected_saving(problem); }

 private:
  // Only GPUs' kernels have blocks of threads.
  Ranker& of(const Space& space) { return space.position_of("block_m") ? *gpu_ : cpu_; }

  Ranker& cpu_;
  GpuRankers& gpus_;
  Ranker* gpu_ = &gpus_.of({});
};

}  // namespace triode::tuner
