// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "learner/model/cost_model.h"
#include "learner/train/regret.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

// Orders the configs of a problem, best guess first: positions in TimedProblem::configs. It may
// look at everything but the times. Configs it thinks cannot run may be left out.
using Ranker = std::function<Result<std::vector<size_t>>(const TimedProblem&)>;

// By a model's scores, likely failures last. The model must outlive the ranker.
Ranker rank_by(const CostModel& model);

// What a ranker's first k choices cost on one problem, for each k that was asked.
struct Judgement {
  size_t problem = 0;  // position in the list that was judged
  size_t fold = 0;
  std::vector<double> regret{};  // against the best config
  std::vector<double>
      with_vendor{};  // the vendor's kernel is an arm of both sides; empty if untimed
  // Why the ranker has nothing to say of it: no choice was made, and no regret is there.
  std::string passed_over{};
};

// Judges each of the `chosen` problems, and appends. One that the ranker does not support is passed
// over with its reason, which a report has to name: left out silently it would flatter. Any other
// failure of the ranker is an error.
Status judge_choices(std::span<const TimedProblem> problems, std::span<const size_t> chosen,
                     const Ranker& ranker, std::span<const size_t> ks, size_t fold,
                     std::vector<Judgement>& judgements);

// A summary over all problems, and how much it varies between folds.
struct FoldedSummary {
  RegretSummary all;
  std::vector<double> fold_geomeans{};  // in the order of folds; one if there were none
  double mean = 1;                      // of those
  double deviation = 0;                 // of those; 0 for a single one
};

enum class Against { kBestConfig, kBestWithVendor };

// Over the judgements for which `accepts(problem)` holds, of the ks[position]-th k.
FoldedSummary summarize(std::span<const Judgement> judgements, size_t position, Against against,
                        const std::function<bool(size_t problem)>& accepts);

}  // namespace triode::train
