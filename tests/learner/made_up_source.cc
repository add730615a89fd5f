// SPDX-License-Identifier: Apache-2.0
#include "tests/learner/made_up_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "learner/model/feature_extractor.h"
#include "learner/model/feature_table.h"
#include "tests/learner/small_model.h"

namespace triode {

MadeUpSource::MadeUpSource(std::shared_ptr<const CostModel> model, double per_stage)
    : model_(std::move(model)), per_stage_(per_stage) {
  target_.device = "NVIDIA H100";
  target_.isa = "sm_90";
}

std::vector<Problem> MadeUpSource::problems() const {
  std::vector<Problem> problems;
  Random random(77);
  for (int i = 0; i < 60; ++i) {
    const auto size = [&] { return static_cast<int64_t>(64 + 16 * random.below(200)); };
    problems.push_back(Problem::mm(DType::kF16, size(), size(), size()));
  }
  return problems;
}

Result<Space> MadeUpSource::space(const Problem&) const {
  return triton_like_space();
}

std::optional<ReplayedTrial> MadeUpSource::trial(const Problem& problem,
                                                 const Config& config) const {
  if ((config[0] / 16 + config[1] / 16 * 3 + config[2] / 16 * 5 + config[3] + config[4]) % 8 == 3) {
    return ReplayedTrial{{OutcomeKind::kCompileFailed, "made up"}};
  }
  const RankingTask task = task_of(problem, h100());
  const double roof_ns = 1e9 * FeatureExtractor::make(task)->roof_s();
  double log_time = (*model_->uncorrected_scores(task, {&config, 1}))[0];
  if (config[4] >= 4 && config[0] >= 64) log_time -= per_stage_ * (config[3] - 3);
  const double median = 4 * roof_ns * std::exp(log_time);
  return ReplayedTrial{{}, median, 0.995 * median, 1.01 * median};
}

double MadeUpSource::best_ns(const Problem& problem, const std::vector<Config>& configs) const {
  double best = HUGE_VAL;
  for (const Config& config : configs) {
    const auto recorded = trial(problem, config);
    if (recorded->outcome.ok()) best = std::min(best, recorded->median_ns);
  }
  return best;
}

Snapshot with_mechanism_features() {
  Snapshot snapshot = small_snapshot();
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  const size_t basis = snapshot.online.size() - 1;
  snapshot.online.features.push_back(static_cast<uint16_t>(*table.position_of("wg_stages")));
  snapshot.online.mean.assign(basis + 2, 0);
  snapshot.online.covariance.assign((basis + 2) * (basis + 2), 0);
  for (size_t i = 0; i < basis + 2; ++i) snapshot.online.covariance[i * (basis + 2) + i] = 0.25;
  return snapshot;
}

Snapshot model_of_an_a100() {
  Snapshot snapshot = small_snapshot(1);
  for (uint64_t seed = 2; seed < 5; ++seed) {
    snapshot.nets.push_back(drawn_net(NetRole::kRank, seed, 32));
  }
  const size_t count = feature_table(DeviceKind::kGpu).size();
  for (size_t f = count - 7; f < count; ++f) {
    snapshot.standardisation.mean[f] = 0;
    snapshot.standardisation.inverse_std[f] = 1;
  }
  return snapshot;
}

std::vector<HeldBackProblem> made_up_timings(const std::shared_ptr<const MadeUpSource>& source) {
  ReplayDevice device(source, 7);
  const auto space = std::make_shared<const Space>(triton_like_space());
  const auto on_h100 = std::make_shared<const DeviceTraits>(h100());
  const std::vector<Config> all = all_configs();
  std::vector<HeldBackProblem> timings;
  for (const Problem& problem : source->problems()) {
    HeldBackProblem timed{problem, space, on_h100, KernelFamily::kInductor, {}, {}};
    for (size_t i = 0; i < all.size(); i += 7) {
      const auto artifact = device.build(problem, all[i]);
      if (!artifact.ok()) continue;
      timed.configs.push_back(all[i]);
      timed.seconds.push_back(device.time(**artifact, {}, {}, {})->candidate.median_ns * 1e-9);
    }
    timings.push_back(std::move(timed));
  }
  return timings;
}

}  // namespace triode
