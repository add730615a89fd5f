// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"
#include "learner/model/online_learner.h"
#include "learner/model/shadow_gate.h"
#include "learner/model/timing_check.h"

namespace triode {

struct ReplayBufferOptions {
  // Problems that teach, and so many again that judge. More remember longer, at some 5 KB each.
  size_t most_problems = 2048;
  size_t held_back_one_in = 4;  // shapes; less judges better and teaches less
  uint64_t seed = 0;            // of what gives way when it is full
};

// Timings of the past, to learn from again: some problems teach, the others are the slice that a
// shadow gate judges by. Shapes whose m, n and k are the same in any order stand on the same side,
// on all devices. When a side is full, a problem of the device that has most gives way, so that
// many timings of a new device do not push out an old one. Not thread-safe. The same problems in
// the same order and the same seed give the same sides.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(const ReplayBufferOptions& options);

  // All that was timed of a problem on a device; replaces what was known of it. Timings that cannot
  // be true are left out, counted and named in the report; with fewer than two others the problem
  // teaches nothing and is not kept (`used` is 0). An error if the lists do not fit each other or
  // the problem has no features.
  Result<LearnReport> add(HeldBackProblem timed);

  std::span<const HeldBackProblem> replayed() const { return replayed_; }
  std::span<const HeldBackProblem> held_back() const { return held_back_; }
  const TimingCounts& counts() const { return counts_; }  // since it was made

 private:
  void keep(HeldBackProblem timed);

  ReplayBufferOptions options_;
  Random random_;
  std::vector<HeldBackProblem> replayed_;
  std::vector<HeldBackProblem> held_back_;
  TimingCounts counts_;
};

// What `model` thinks of the configs of `timed` on `device`, as if it had been timed there: keeps
// alive what the model knows of a device of which no timings are at hand. Replayed and held back
// beside real timings, it is what forgetting is measured by. Offsets between problems mean nothing.
Result<HeldBackProblem> rehearsed(const CostModel& model, const HeldBackProblem& timed,
                                  std::shared_ptr<const DeviceTraits> device);

}  // namespace triode
