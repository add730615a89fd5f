// SPDX-License-Identifier: Apache-2.0
#include "bindings/cpu_chooser.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/key.h"
#include "core/random.h"
#include "core/space.h"
#include "jit/x86/gemm_space.h"
#include "learner/model/device_traits.h"
#include "learner/model/online_learner.h"

namespace triode::python {
namespace {

// Configs that are drawn beside the guesses. More finds better ones; a thousand are ranked in less
// than a millisecond, once for each op that is compiled.
constexpr int kDrawn = 768;

std::vector<Config> configs_to_rank(const Space& space, const Problem& problem) {
  std::vector<Config> configs = x86::promising_configs(space, problem);
  Random random(hash_of(problem));
  for (int i = 0; i < kDrawn; ++i) {
    const std::optional<Config> drawn = space.sample(random);
    if (!drawn) break;
    configs.push_back(*drawn);
  }
  return configs;
}

}  // namespace

Result<CpuChooser> CpuChooser::load(const std::string& path) {
  return make(TRIODE_TRY(load_snapshot(path)));
}

Result<CpuChooser> CpuChooser::make(Snapshot snapshot) {
  if (snapshot.kind != DeviceKind::kCpu) {
    return invalid_argument("the model " + snapshot.name + " is for a " +
                            std::string(to_string(snapshot.kind)) +
                            "; kernels of the CPU need one for a cpu");
  }
  return CpuChooser(TRIODE_TRY(CostModel::make(std::move(snapshot))));
}

Result<Config> CpuChooser::choose(const CpuDevice& device, const Problem& problem) const {
  const Space space = TRIODE_TRY(device.enumerate(problem));
  const std::vector<Config> configs = configs_to_rank(space, problem);
  if (configs.empty()) return unsupported("there is no kernel for '" + to_string(problem) + "'");
  const DeviceTraits traits = TRIODE_TRY(traits_of(device.target()));
  const Result<Ranking> ranking =
      model_->rank({problem, space, traits, KernelFamily::kX86}, configs);
  if (!ranking.ok() || ranking->candidates.empty()) return configs.front();
  return configs[ranking->candidates.front().index];
}

Result<Snapshot> CpuChooser::learned(const CpuDevice& device, const Problem& problem,
                                     const std::vector<std::pair<Config, double>>& timed) const {
  const Space space = TRIODE_TRY(device.enumerate(problem));
  const DeviceTraits traits = TRIODE_TRY(traits_of(device.target()));
  std::vector<TimedConfig> samples;
  for (const auto& [config, seconds] : timed) samples.push_back({config, seconds});
  OnlineLearner learner(model_);
  TRIODE_TRY(learner.learn({problem, space, traits, KernelFamily::kX86}, samples));
  return learner.snapshot();
}

}  // namespace triode::python
