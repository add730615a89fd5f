// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/cpu_plan_maker.h"

#include <optional>
#include <string>
#include <utility>

#include "core/key.h"
#include "core/random.h"
#include "jit/x86/gemm_space.h"
#include "runtime/host/plan_table.h"

namespace triode::host {
namespace {

Config choose_unmeasured(const Space& space, const Problem& problem, ForcedPlans which) {
  if (which == ForcedPlans::kRandom) {
    Random random(hash_of(problem));
    if (const std::optional<Config> drawn = space.sample(random)) return *drawn;
  }
  return x86::promising_configs(space, problem).front();
}

}  // namespace

Result<std::unique_ptr<CpuPlanMaker>> CpuPlanMaker::create() {
  std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  return std::unique_ptr<CpuPlanMaker>(new CpuPlanMaker(std::move(device)));
}

bool CpuPlanMaker::serves(const PlanEntry& entry) const {
  return entry.gpu_place == 0;
}

Result<std::unique_ptr<const Executable>> CpuPlanMaker::make(const Problem& problem,
                                                             const MadePlan& plan) const {
  return build(problem, plan.config, plan.code_digest);
}

Result<std::unique_ptr<const Executable>> CpuPlanMaker::build(const Problem& problem,
                                                              std::string_view config_text,
                                                              uint64_t code_digest) const {
  const Space space = TRIODE_TRY(device_->enumerate(problem));
  const Config config = TRIODE_TRY(space.parse(config_text));
  return build_config(problem, config, code_digest);
}

Result<std::unique_ptr<const Executable>> CpuPlanMaker::build_forced(const Problem& problem,
                                                                     ForcedPlans which) const {
  Problem drawn_for = problem;
  if (which == ForcedPlans::kRandom) drawn_for.alignment_bytes = size_bytes(problem.c_type);
  const Space space = TRIODE_TRY(device_->enumerate(drawn_for));
  return build_config(problem, choose_unmeasured(space, drawn_for, which), 0);
}

Result<std::unique_ptr<const Executable>> CpuPlanMaker::build_config(const Problem& problem,
                                                                     const Config& config,
                                                                     uint64_t code_digest) const {
  std::unique_ptr<Artifact> built = TRIODE_TRY(device_->build(problem, config));
  if (code_digest != 0 && built->digest() != code_digest) {
    return corrupt("the code made for '" + to_string(problem) +
                   "' is not the code that was measured; the plan was made by another version");
  }
  // CpuDevice::build makes nothing else.
  std::unique_ptr<CpuArtifact> artifact(static_cast<CpuArtifact*>(built.release()));
  return std::unique_ptr<const Executable>(new CpuExecutable(std::move(artifact)));
}

}  // namespace triode::host
