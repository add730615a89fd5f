// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "learner/model/cost_model.h"
#include "learner/model/device_traits.h"
#include "learner/model/ranking_task.h"
#include "learner/model/snapshot.h"

namespace triode {

// block_m, block_n, block_k, num_stages, num_warps: 432 configs, of which some need more shared
// memory than a block of an A100 has.
const Space& triton_like_space();
std::vector<Config> all_configs();
Config triton_config(int32_t m, int32_t n, int32_t k, int32_t stages, int32_t warps);

const DeviceTraits& a100();
const DeviceTraits& h100();

// A task of that space; the problem must outlive it.
RankingTask task_of(const Problem& problem, const DeviceTraits& device = a100());

// A net of two hidden layers with weights drawn by the seed, over all gpu features. Those that
// never vary on an A100 are not read.
Net drawn_net(NetRole role, uint64_t seed, int32_t width = 12);

// Rank nets by seeds 1, 2, ...; standardised by round figures; a wide, uncorrelated prior whose
// basis ends in the feature wg. In support: f16 and f32 mm of Inductor's on an A100, sizes to 2^16.
Snapshot small_snapshot(size_t rank_nets = 1);

std::shared_ptr<const CostModel> model_of(Snapshot snapshot);

}  // namespace triode
