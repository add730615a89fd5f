// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel_family.h"
#include "core/problem.h"
#include "core/space.h"
#include "learner/model/device_traits.h"

namespace triode {

// What configs are ranked for. Views: all must outlive the task.
struct RankingTask {
  const Problem& problem;
  const Space& space;  // the features read a config's parameters by their names in here
  const DeviceTraits& device;
  KernelFamily family = KernelFamily::kTriton;
};

}  // namespace triode
