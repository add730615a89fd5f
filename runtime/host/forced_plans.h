// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/settings.h"
#include "runtime/host/initial_plans.h"
#include "runtime/host/plan_builders.h"

namespace triode::host {

// A kernel of ours for every call, measured or not: for tests, and where there is no vendor.
class ForcedInitialPlans final : public InitialPlans {
 public:
  ForcedInitialPlans(PlanBuilders& builders, ForcedPlans which)
      : builders_(builders), which_(which) {}

  const Executable* plan_for(const PlanEntry& entry) override;

 private:
  PlanBuilders& builders_;
  ForcedPlans which_;
};

}  // namespace triode::host
