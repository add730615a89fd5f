// SPDX-License-Identifier: Apache-2.0
// Internal to learner/model.
#pragma once

#include <span>

#include "learner/model/block_kernels.h"
#include "learner/model/cost_model.h"
#include "learner/model/online_state.h"

namespace triode {

// Sets the stddev of every candidate from its basis, which the ranking holds: what the online state
// does not know of its difference to the mean of the candidates, and how much the ensemble
// disagrees about it (`ensemble_variance`, one per candidate).
void set_stddevs(const OnlineState& online, std::span<const double> ensemble_variance,
                 const BlockKernels& kernels, Ranking& ranking);

}  // namespace triode
