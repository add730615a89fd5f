// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/clock.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/trial_log.h"

namespace triode::tuner {

struct Relearned {
  size_t problems = 0;
  size_t trials = 0;
};

// Tells a ranker of the trials that earlier tuners have made on this target, so that it begins
// where they ended: what was learned is a function of the model and of the trials that are kept,
// and has no file of its own that could be lost or out of date. Ends when the time is over, between
// two problems. A trial takes some hundred microseconds. Trials up to `learned_until` (seconds
// since 1970) are in the model already: they are only reviewed.
Relearned relearn(const Target& target,
                  const std::function<Result<Space>(const Problem&)>& space_of, TrialLog& log,
                  Ranker& ranker, const Clock& clock, std::chrono::nanoseconds time,
                  int64_t learned_until);

}  // namespace triode::tuner
