// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/status.h"
#include "learner/model/online_state.h"
#include "learner/model/snapshot.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

struct PriorOptions {
  double problems = 100;  // how many the training counts for: less lets new timings move it faster
  double noise = 0.08;    // standard deviation of one ln time that the model cannot explain
  double ridge = 1;       // precision of what training said nothing of, in the net's basis
};

// What online learning starts from: no correction yet, sure where `problems` hold much, unsure
// where they hold little. The basis is the snapshot's first net's, then the features that tell
// mechanism classes apart, so that a class that training never saw can be learned apart from the
// others, and the analytical times, so that what they say of a device can be corrected. The
// snapshot's own online state is not read.
Result<OnlineState> online_prior(const Snapshot& snapshot, std::span<const TimedProblem> problems,
                                 const PriorOptions& options);

}  // namespace triode::train
