// SPDX-License-Identifier: Apache-2.0
#include "learner/model/online_learner.h"

#include <cmath>
#include <utility>

#include "learner/model/feature_extractor.h"

namespace triode {

OnlineLearner::OnlineLearner(std::shared_ptr<const CostModel> model)
    : model_(std::move(model)), layer_(model_->snapshot().online) {}

Result<Ranking> OnlineLearner::rank(const RankingTask& task,
                                    std::span<const Config> configs) const {
  return model_->rank(task, configs, layer_.state());
}

Result<LearnReport> OnlineLearner::learn(const RankingTask& task,
                                         std::span<const TimedConfig> timed) {
  ProblemMemory memory;
  return learn(task, timed, memory);
}

Result<LearnReport> OnlineLearner::learn(const RankingTask& task,
                                         std::span<const TimedConfig> timed,
                                         ProblemMemory& memory) {
  const FeatureExtractor extractor = TRIODE_TRY(FeatureExtractor::make(task));
  LearnReport report;
  std::vector<Config> configs;
  std::vector<double> log_times;
  for (const TimedConfig& one : timed) {
    const TimingVerdict verdict =
        check_timing(one.seconds, extractor.roof_s(), extractor.launch_s());
    report.counts.add(verdict);
    counts_.add(verdict);
    if (verdict == TimingVerdict::kUsable) {
      configs.push_back(one.config);
      log_times.push_back(std::log(one.seconds));
    } else {
      report.refused.push_back(task.space.to_string(one.config) + ": " +
                               std::to_string(one.seconds) + " s is " +
                               std::string(to_string(verdict)));
    }
  }
  report.used = configs.size();
  if (configs.empty()) return report;
  const std::vector<double> scores = TRIODE_TRY(model_->uncorrected_scores(task, configs));
  const std::vector<float> rows = TRIODE_TRY(model_->basis(task, configs));
  for (size_t i = 0; i < scores.size(); ++i) log_times[i] -= scores[i];
  layer_.update(rows, log_times, memory);
  return report;
}

Snapshot OnlineLearner::snapshot() const {
  Snapshot snapshot = model_->snapshot();
  snapshot.online = layer_.state();
  return snapshot;
}

}  // namespace triode
