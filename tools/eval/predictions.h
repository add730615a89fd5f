// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/train/timed_problem.h"

namespace triode::eval_tool {

// What a model says of every config of a problem.
struct Prediction {
  size_t problem = 0;           // position in the list that was judged
  std::vector<size_t> order;    // positions of configs, best guess first; all of them
  std::vector<double> seconds;  // of each config; empty if the model has no word for time
};

// Appends the predictions for the `chosen` problems. The order is that of train::rank_by as far as
// the model ranks; what it leaves out (unfit configs, those beyond the shortlist) follows by score.
Status predict(std::span<const train::TimedProblem> problems, std::span<const size_t> chosen,
               const CostModel& model, std::vector<Prediction>& predictions);

// A line of tabs for each config: device, source, problem, config, the milliseconds measured
// (blank: it did not run), those predicted (blank: not known), its place in the model's order from
// 1 on, and the vendor's milliseconds (blank: not timed). The first line names them.
Status write_predictions(const std::string& path, std::span<const train::TimedProblem> problems,
                         std::span<const Prediction> predictions);

}  // namespace triode::eval_tool
