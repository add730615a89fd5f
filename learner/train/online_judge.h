// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/model/policy.h"
#include "learner/model/slow_learner.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

struct StreamOptions {
  size_t timings = 3;      // of each problem, all told
  bool learns = true;      // false: the model stays as it is; what learning is worth
  PolicyOptions policy{};  // its batch is at most `timings`: several rounds if it is less
  // If it learns: also slowly, a whole round whenever enough problems came. Empty: in closed form
  // alone.
  std::optional<SlowLearnerOptions> slow{};
  uint64_t seed = 0;  // of the order of problems and of the policy
};

// How the choice for one problem of a stream came out.
struct StreamedChoice {
  size_t problem = 0;
  double first = 1;               // regret of the model's first choice, before anything was timed
  std::vector<double> reached{};  // regret of the best of the first 1, 2, ... timings
};

// Problems come one after the other in an order drawn from the seed. Of each, the policy picks
// configs, their recorded times are told to the learner, and on it goes: a device that the model
// meets for the first time. Every problem is judged before it teaches.
Result<std::vector<StreamedChoice>> stream(std::span<const TimedProblem> problems,
                                           std::span<const size_t> chosen,
                                           std::shared_ptr<const CostModel> model,
                                           const StreamOptions& options);

}  // namespace triode::train
