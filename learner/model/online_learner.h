// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/status.h"
#include "learner/model/bayesian_layer.h"
#include "learner/model/cost_model.h"
#include "learner/model/timing_check.h"

namespace triode {

// A config that was timed.
struct TimedConfig {
  Config config;
  double seconds = 0;
};

// What one batch taught.
struct LearnReport {
  size_t used = 0;
  TimingCounts counts;               // of this batch
  std::vector<std::string> refused;  // config and reason of each timing that was refused
};

// A cost model that learns from every timing while it runs. Not thread-safe: its owner serialises.
//
//   auto ranking = learner.rank(task, configs);
//   ... time some of ranking->candidates ...
//   learner.learn(task, timed);
class OnlineLearner {
 public:
  explicit OnlineLearner(std::shared_ptr<const CostModel> model);

  const CostModel& model() const { return *model_; }
  const OnlineState& state() const { return layer_.state(); }
  const TimingCounts& counts() const { return counts_; }  // since it was made

  // As CostModel::rank, with what was learned so far.
  Result<Ranking> rank(const RankingTask& task, std::span<const Config> configs) const;

  // Learns the timings of one task. Timings that cannot be true are left out, counted and named in
  // the report; an error only if the task itself cannot be featurised.
  // `memory` carries a problem from one batch of its timings to the next.
  Result<LearnReport> learn(const RankingTask& task, std::span<const TimedConfig> timed,
                            ProblemMemory& memory);
  Result<LearnReport> learn(const RankingTask& task, std::span<const TimedConfig> timed);

  // The model with what was learned in it, as a new snapshot.
  Snapshot snapshot() const;

 private:
  std::shared_ptr<const CostModel> model_;
  BayesianLayer layer_;
  TimingCounts counts_;
};

}  // namespace triode
