// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "runtime/host/plan_file.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/trial_runner.h"

namespace triode::tuner {

struct TrustedChoice {
  std::optional<StoredPlan> plan;  // its figures are 0: nothing was timed
  std::string remark;              // why there is none
};

// The ranker's choice for a call that nothing was timed for, after the runner has checked its
// results: trust saves the timing, never the check. A choice that fails the check is the answer
// "none" and a trial on record, through `on_trial`; it is not replaced by the next best, since a
// model that chose a kernel that is wrong has shown what its word is worth here. An error if the
// call cannot be made.
Result<TrustedChoice> choose_and_check(const TunedCall& call, const Problem& problem,
                                       const Space& space, std::span<const Trial> known,
                                       Ranker& ranker, TrialRunner& runner,
                                       const std::function<void(const Trial&)>& on_trial);

}  // namespace triode::tuner
