// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/status.h"
#include "learner/model/tree_ensemble.h"
#include "learner/train/net_trainer.h"

namespace triode::train {

// How to grow trees that rank. docs/learning.md says how the defaults were chosen.
struct TreeRecipe {
  int32_t trees = 1000;        // more fits closer
  int32_t depth = 5;           // questions of a tree
  double learning_rate = 0.1;  // share of a tree's answer that is kept
  double l2 = 1;               // pulls leaves with little evidence to zero
  double list_share = 0.8;     // of the lists, drawn for each tree
  double feature_share = 0.5;  // of the features, drawn for each tree
  int32_t bins = 128;          // of a feature; at most 255
  double gain_fall = 6;        // a config is worth e^(-gain_fall * ln regret); more looks closer
  int32_t top_places = 8;      // pairs count if one of the two is ranked among so many
  double share = 0.3;          // TreeEnsemble::share
  uint64_t seed = 0;
};

// Boosts trees by LambdaRank; y is ln(time / best time of the problem). Their values are then
// scaled to fit y best. The features of the trees are columns of `lists`. The same lists and recipe
// give the same trees. One thread.
Result<TreeEnsemble> train_trees(const TrainingLists& lists, const TreeRecipe& recipe,
                                 const ProgressSink& progress);

}  // namespace triode::train
