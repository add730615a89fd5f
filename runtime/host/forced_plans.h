// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/settings.h"
#include "runtime/host/initial_plans.h"
#include "runtime/host/lazy_cpu_plan_maker.h"

namespace triode::host {

// A kernel of ours for every call, measured or not: for tests, and where there is no vendor.
class ForcedInitialPlans final : public InitialPlans {
 public:
  ForcedInitialPlans(LazyCpuPlanMaker& cpu_maker, ForcedPlans which)
      : cpu_maker_(cpu_maker), which_(which) {}

  const Executable* plan_for(const PlanEntry& entry) override;

 private:
  LazyCpuPlanMaker& cpu_maker_;
  ForcedPlans which_;
};

}  // namespace triode::host
