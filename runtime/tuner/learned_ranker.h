// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/kernel_family.h"
#include "core/status.h"
#include "learner/model/bayesian_layer.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"
#include "learner/model/online_learner.h"
#include "learner/model/policy.h"
#include "learner/model/slow_learner.h"
#include "runtime/tuner/ranker.h"

namespace triode::tuner {

struct LearnedRankerOptions {
  DeviceTraits device;
  KernelFamily family = KernelFamily::kX86;
  // The family is that of other kernels, which run the same loop: the model is followed only as far
  // as where it extrapolates, and learns nothing, since times of two programs are never pooled.
  bool is_relative = false;
  // The space of a problem, for expected_saving(); any thread. Empty: the fallback answers that.
  std::function<Result<Space>(const Problem&)> space_of;
  // Configs that are ranked for a problem: all of a smaller space, else the fallback's best guesses
  // and random ones. More finds better ones and takes longer: 1,000 are ranked in some 300 us.
  size_t pool = 1024;
  PolicyOptions policy = {.noise = 0.01};  // a quick trial is no surer than that
  // Trials of a problem before it may say that more are not worth it: fewer trust the model more.
  size_t least_trials = 16;
  bool learns = true;  // false: the snapshot alone, to compare with
  SlowLearnerOptions slow;
  // Told of each model that reflect() has made and that is in use now, with how it was judged, and
  // of the digest of the model before.
  std::function<void(const Snapshot&, const GateVerdict&, const std::string& before)> on_better;
  // One line for each that was judged.
  std::function<void(const std::string&)> log;
};

// Proposes what a cost model thinks fast, with some slots for other kinds of kernels that might be
// faster, and learns from every trial at once. The fallback says where to look in a space that is
// too large to rank, and decides alone where the model has nothing to say; half of it where the
// model extrapolates. The same snapshot, options and trials give the same proposals.
//
// expected_saving() is for any thread; the rest for one.
class LearnedRanker final : public Ranker {
 public:
  // The fallback must outlive this, and answer two threads at once.
  LearnedRanker(std::shared_ptr<const CostModel> model, Ranker& fallback,
                LearnedRankerOptions options);

  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override;
  // What it ranks first, where the model knows such problems and predicts that it beats the vendor.
  std::optional<Config> choose(const Problem& problem, const Space& space,
                               std::span<const Trial> known) override;
  void learn(const Problem& problem, const Space& space, const Trial& trial) override;
  void review(const Problem& problem, const Space& space, std::span<const Trial> known) override;
  // Fine-tunes the model on what was reviewed (SlowLearner).
  bool reflect(const Clock& clock, std::chrono::nanoseconds slice) override;
  double expected_saving(const Problem& problem) override;

  const OnlineLearner& learner() const { return learner_; }
  std::shared_ptr<const CostModel> model() const;  // in use now; any thread
  uint64_t learned() const { return learned_; }    // trials, so far; any thread

 private:
  // The problem that is being searched.
  struct Search {
    std::string identity;      // problem and space; empty: none yet
    std::vector<Config> pool;  // empty: not drawn yet
    ProblemMemory memory;
  };

  Search& search_of(const Problem& problem, const Space& space);
  RankingTask task_of(const Problem& problem, const Space& space) const {
    return {problem, space, options_.device, options_.family};
  }
  Result<double> predicted_saving(const Problem& problem);

  bool learns() const { return options_.learns && !options_.is_relative; }
  void adopt(const GateVerdict& verdict);

  Ranker& fallback_;
  const LearnedRankerOptions options_;
  const std::shared_ptr<const DeviceTraits> device_;
  OnlineLearner learner_;
  std::optional<SlowLearner> slow_;  // none if its options cannot work
  Search search_;
  std::atomic<uint64_t> learned_{0};

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const CostModel> model_;
  std::map<std::string, double> savings_;  // that were predicted, by problem
};

}  // namespace triode::tuner
