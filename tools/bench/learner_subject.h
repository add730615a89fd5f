// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/config.h"
#include "core/kernel_family.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"
#include "learner/model/ranking_task.h"
#include "learner/model/snapshot.h"

namespace triode::bench {

// A task with configs to rank, and all that its views point to.
struct LearnerSubject {
  Problem problem;
  Space space;
  DeviceTraits device;
  KernelFamily family = KernelFamily::kTriton;
  std::vector<Config> configs;

  RankingTask task() const { return {problem, space, device, family}; }
};

// `count` configs drawn from the space of an A100's 4096 x 4096 x 4096 product of f16, all of which
// fit; and from that of a cpu's 512 x 512 x 512 product of f32 by AVX2.
Result<LearnerSubject> gpu_subject(size_t count, uint64_t seed);
Result<LearnerSubject> cpu_subject(size_t count, uint64_t seed);

// A model of one rank net of three hidden layers, its weights drawn: what inference takes does not
// depend on them.
Snapshot drawn_snapshot(int32_t width, uint64_t seed);

}  // namespace triode::bench
