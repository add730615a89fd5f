// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learner/train/timed_problem.h"

namespace triode::train {

// Problems of a made-up gpu of the known kind `device`: 24 configs each, the largest of which do
// not fit. Times follow the analytical estimate, except that configs of `favoured_warps` take half
// of it: something that only data can tell. The same seed gives the same problems.
std::vector<TimedProblem> generated_timings(size_t count, uint64_t seed,
                                            const std::string& device = "a100",
                                            int favoured_warps = 8);

}  // namespace triode::train
