// SPDX-License-Identifier: Apache-2.0
#include "bindings/template_ranker.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "core/config.h"
#include "core/random.h"
#include "core/space.h"
#include "learner/model/online_learner.h"
#include "learner/model/policy.h"

namespace triode::python {
namespace {

constexpr std::array kParameters = {"block_m", "block_n",    "block_k",
                                    "group_m", "num_stages", "num_warps"};

// What the features read the configs by. The values are the caller's, so no rule holds them back.
Space space_of_templates() {
  Space space;
  for (const char* const name : kParameters) space.add({name, {1}, {}});
  return space;
}

std::vector<Config> to_configs(const std::vector<TemplateConfig>& configs) {
  std::vector<Config> result;
  result.reserve(configs.size());
  for (const TemplateConfig& values : configs) {
    Config& config = result.emplace_back(values.size());
    for (size_t i = 0; i < values.size(); ++i) config[i] = values[i];
  }
  return result;
}

Status check(const std::vector<TemplateConfig>& configs) {
  for (const TemplateConfig& config : configs) {
    const auto bad = std::find_if(config.begin(), config.end(), [](int32_t v) { return v < 1; });
    if (bad == config.end()) continue;
    const auto position = static_cast<size_t>(std::distance(config.begin(), bad));
    return invalid_argument(std::string(kParameters[position]) + " is " + std::to_string(*bad) +
                            "; a config's values are 1 or more");
  }
  return {};
}

}  // namespace

Result<TemplateRanker> TemplateRanker::load(const std::string& path) {
  return make(TRIODE_TRY(load_snapshot(path)));
}

Result<TemplateRanker> TemplateRanker::make(Snapshot snapshot) {
  if (snapshot.kind != DeviceKind::kGpu) {
    return invalid_argument("the model " + snapshot.name + " is for a " +
                            std::string(to_string(snapshot.kind)) +
                            "; templates of torch.compile need one for a gpu");
  }
  return TemplateRanker(TRIODE_TRY(CostModel::make(std::move(snapshot))));
}

Result<TemplateRanking> TemplateRanker::rank(const Problem& problem, const DeviceTraits& gpu,
                                             const std::vector<TemplateConfig>& configs,
                                             size_t count, size_t doubtful_count) const {
  TRIODE_TRY(check(configs));
  const Space space = space_of_templates();
  const RankingTask task{problem, space, gpu, KernelFamily::kInductor};
  const std::vector<Config> listed = to_configs(configs);
  const Ranking ranking = TRIODE_TRY(model_->rank(task, listed));
  TemplateRanking result;
  result.unfit = ranking.unfit;
  result.vendor_s = ranking.vendor_s;
  result.support = ranking.support;
  if (ranking.candidates.empty()) return result;

  Random random(0);  // the reserved policy draws nothing
  const bool is_sure = ranking.support.support == Support::kInSupport;
  const size_t batch = std::max<size_t>(1, is_sure ? count : doubtful_count);
  const Proposal proposal =
      propose(ranking, snapshot().online_of(gpu.name), {}, {.batch = batch}, random);
  for (const uint32_t pick : proposal.picks) {
    const Candidate& candidate = ranking.candidates[pick];
    const double first = ranking.candidates[proposal.picks.front()].score;
    result.picks.push_back({.index = candidate.index,
                            .relative_time = std::exp(candidate.score - first),
                            .stddev = candidate.stddev,
                            .mechanism = candidate.mechanism});
  }
  if (result.picks.empty()) return result;
  const auto level = model_->level(task, {&listed[result.picks.front().index], 1});
  if (level.ok()) result.best_s = level->front();
  return result;
}

Result<Snapshot> TemplateRanker::learned(
    const Problem& problem, const DeviceTraits& gpu,
    const std::vector<std::pair<TemplateConfig, double>>& timed) const {
  std::vector<TemplateConfig> configs;
  for (const auto& [config, seconds] : timed) configs.push_back(config);
  TRIODE_TRY(check(configs));
  const std::vector<Config> listed = to_configs(configs);
  std::vector<TimedConfig> samples;
  for (size_t i = 0; i < timed.size(); ++i) samples.push_back({listed[i], timed[i].second});
  const Space space = space_of_templates();
  OnlineLearner learner(model_);
  TRIODE_TRY(learner.learn({problem, space, gpu, KernelFamily::kInductor}, samples));
  return learner.snapshot();
}

}  // namespace triode::python
