// SPDX-License-Identifier: Apache-2.0
#include "learner/model/online_learner.h"

#include <cmath>
#include <utility>

#include "learner/model/feature_extractor.h"

namespace triode {

OnlineLearner::OnlineLearner(std::shared_ptr<const CostModel> model) : model_(std::move(model)) {
  for (const LearnedDevice& one : model_->snapshot().learned) {
    layers_.emplace(one.device, BayesianLayer(one.state));
  }
}

const OnlineState& OnlineLearner::state(std::string_view device) const {
  const auto layer = layers_.find(device);
  return layer != layers_.end() ? layer->second.state() : model_->snapshot().online;
}

Result<BayesianLayer*> OnlineLearner::layer_of(const std::string& device) {
  const auto known = layers_.find(device);
  if (known != layers_.end()) return &known->second;
  if (layers_.size() >= kMaxLearnedDevices) {
    return unsupported("one model learns of " + std::to_string(kMaxLearnedDevices) +
                       " devices at most; " + device + " is one more");
  }
  return &layers_.emplace(device, BayesianLayer(model_->snapshot().online)).first->second;
}

Result<Ranking> OnlineLearner::rank(const RankingTask& task,
                                    std::span<const Config> configs) const {
  return model_->rank(task, configs, state(task.device.name));
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
  BayesianLayer* layer = TRIODE_TRY(layer_of(task.device.name));
  layer->update(rows, log_times, memory);
  return report;
}

Snapshot OnlineLearner::snapshot() const {
  Snapshot snapshot = model_->snapshot();
  snapshot.learned.clear();
  for (const auto& [device, layer] : layers_) {
    if (layer.state() != snapshot.online) snapshot.learned.push_back({device, layer.state()});
  }
  return snapshot;
}

Status OnlineLearner::adopt(std::shared_ptr<const CostModel> model) {
  if (!model || model->basis_size() != model_->basis_size()) {
    return invalid_argument("a learner goes on only with a model of the same basis");
  }
  model_ = std::move(model);
  return {};
}

}  // namespace triode
