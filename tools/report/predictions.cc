// SPDX-License-Identifier: Apache-2.0
#include "tools/report/predictions.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cache/validity.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"
#include "runtime/device/cpu_device.h"
#include "runtime/model/chosen_model.h"

namespace triode::report_tool {
namespace {

// Where counting one space stops: beyond it an exhaustive search is out of the question anyway.
constexpr uint64_t kMostCounted = 1'000'000;
// Where counting all of them stops, each getting its share: some seconds.
constexpr uint64_t kMostCountedInAll = 10'000'000;

void predict(const CostModel& model, const DeviceTraits& traits, const Space& space,
             ProblemFact& fact) {
  std::vector<Config> configs;
  std::vector<TrialFact*> trials;
  for (TrialFact& trial : fact.trials) {
    Result<Config> config = space.parse(trial.config);
    if (!config.ok()) continue;
    configs.push_back(std::move(config).take());
    trials.push_back(&trial);
  }
  const RankingTask task{*fact.problem, space, traits, KernelFamily::kX86};
  const Result<std::vector<double>> seconds = model.level(task, configs);
  if (!seconds.ok()) return;  // it has nothing to say of this problem
  for (size_t i = 0; i < trials.size(); ++i) trials[i]->predicted_ns = 1e9 * (*seconds)[i];
}

}  // namespace

uint64_t count_up_to(const Space& space, uint64_t most) {
  uint64_t count = 0;
  space.for_each([&](const Config&) { return ++count < most; });
  return count;
}

Status add_predictions(const ModelStore& models, const std::string& shipped_folder,
                       ReportFacts& facts) {
  ChosenModel chosen = TRIODE_TRY(chosen_model(&models, DeviceKind::kCpu, shipped_folder));
  const CostModel model = TRIODE_TRY(CostModel::make(std::move(chosen.snapshot)));
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const DeviceTraits traits = TRIODE_TRY(traits_of(device->target()));
  facts.model =
      ModelFact{model.snapshot().name, model.digest(), model.snapshot().card, chosen.is_promoted};
  const std::string here = device_of(device->target());
  facts.space_limit =
      std::min(kMostCounted, kMostCountedInAll / std::max<uint64_t>(1, facts.problems.size()));
  for (ProblemFact& fact : facts.problems) {
    if (fact.device != here || !fact.problem) continue;
    const Result<Space> space = device->enumerate(*fact.problem);
    if (!space.ok()) continue;
    fact.space_size = count_up_to(*space, facts.space_limit);
    predict(model, traits, *space, fact);
  }
  return {};
}

}  // namespace triode::report_tool
