// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/forced_plans.h"

#include <utility>

#include "runtime/host/warning.h"

namespace triode::host {

const Executable* ForcedInitialPlans::plan_for(const PlanEntry& entry) {
  const CpuPlanMaker* const maker = cpu_maker_.get();
  if (maker == nullptr) return nullptr;
  auto built = maker->build_forced(entry.problem, which_);
  if (built.ok()) return std::move(built).take().release();
  warn_once("no kernel for a forced plan: " + built.status().message());
  return nullptr;
}

}  // namespace triode::host
