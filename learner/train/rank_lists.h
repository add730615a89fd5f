// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "learner/train/feature_matrix.h"
#include "learner/train/net_trainer.h"
#include "learner/train/timed_problem.h"

namespace triode::train {

// What a training sees of some problems.
struct LearningView {
  std::span<const TimedProblem> problems;
  const FeatureMatrix& matrix;
  std::span<const size_t> chosen;  // the problems to learn from
  const Standardisation& standardisation;
  std::span<const uint16_t> inputs;  // features of the net
};

struct ListOptions {
  // A problem with at most so many configs is one list.
  size_t most_whole = 160;
  // Problems with more become many lists of this length, each of some of the fastest configs and
  // some drawn from all: what is compared is what matters.
  size_t most_length = 64;
  size_t lists_of_large = 150;    // lists drawn of such a problem
  double share_of_fastest = 0.5;  // of such a list
  size_t fastest_pool = 256;      // those are drawn from so many
  uint64_t seed = 0;
};

// y is ln(time / best time of the problem). Only configs that ran.
TrainingLists rank_lists(const LearningView& view, const ListOptions& options);

// y is ln(time / roof): the absolute time. Only configs that ran; lists as above.
TrainingLists level_lists(const LearningView& view, const ListOptions& options);

// y is 1 for a config that did not run although it fits the device. Only configs that fit.
TrainingLists failure_lists(const LearningView& view, const ListOptions& options);

// One row a problem, y is ln(vendor's time / roof). `inputs` must be features of the problem.
TrainingLists vendor_lists(const LearningView& view);

}  // namespace triode::train
