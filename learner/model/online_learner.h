// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

// A cost model that learns from every timing while it runs. Every device has a correction of its
// own that begins as the snapshot's, so that learning one leaves the choices for the others as they
// are. Not thread-safe: its owner serialises.
//
//   auto ranking = learner.rank(task, configs);
//   ... time some of ranking->candidates ...
//   learner.learn(task, timed);
class OnlineLearner {
 public:
  explicit OnlineLearner(std::shared_ptr<const CostModel> model);

  const CostModel& model() const { return *model_; }
  // What is known of a device (by the name of its DeviceTraits) by now.
  const OnlineState& state(std::string_view device) const;
  const TimingCounts& counts() const { return counts_; }  // since it was made

  // As CostModel::rank, with what was learned so far.
  Result<Ranking> rank(const RankingTask& task, std::span<const Config> configs) const;

  // Learns the timings of one task. Timings that cannot be true are left out, counted and named in
  // the report; an error only if the task itself cannot be featurised, or is of one device more
  // than a snapshot holds.
  // `memory` carries a problem from one batch of its timings to the next.
  Result<LearnReport> learn(const RankingTask& task, std::span<const TimedConfig> timed,
                            ProblemMemory& memory);
  Result<LearnReport> learn(const RankingTask& task, std::span<const TimedConfig> timed);

  // The model with what was learned in it, as a new snapshot.
  Snapshot snapshot() const;

  // Goes on with another model and keeps what was learned. Its basis must be the same, as that of a
  // ReplayTrainer's candidate is: kInvalidArgument if it is of another size.
  Status adopt(std::shared_ptr<const CostModel> model);

 private:
  Result<BayesianLayer*> layer_of(const std::string& device);

  std::shared_ptr<const CostModel> model_;
  std::map<std::string, BayesianLayer, std::less<>> layers_;  // of the devices that have learned
  TimingCounts counts_;
};

}  // namespace triode
