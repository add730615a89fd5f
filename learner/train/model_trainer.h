// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "learner/model/snapshot.h"
#include "learner/train/feature_matrix.h"
#include "learner/train/net_trainer.h"
#include "learner/train/rank_lists.h"
#include "learner/train/timed_problem.h"
#include "learner/train/tree_trainer.h"

namespace triode::train {

// Everything that decides a model, but the data.
struct ModelRecipe {
  NetRecipe rank;     // the ensemble that re-ranks
  TreeRecipe trees;   // that have a share in the re-ranking
  NetRecipe student;  // one small net that is taught by the ensemble and shortlists
  NetRecipe level;    // absolute time
  NetRecipe vendor;
  NetRecipe failure;
  ListOptions lists;
  int32_t shortlist = 64;
  // Of the online state: see tempered_prior. How many problems the training counts for, so that a
  // new device can overrule it; what a single ln time varies by; how little is known beforehand.
  double prior_problems = 5;
  double noise = 0.04;
  double ridge = 1;

  // The shipped models'. `seed` and `threads` go into every net.
  static ModelRecipe standard(uint64_t seed, int32_t threads);
  // The same for data of this kind of device, whose lists differ in length.
  static ModelRecipe standard_for(DeviceKind kind, uint64_t seed, int32_t threads);
};

// One line that names every value, for the model card: two models of equal recipe and data are
// equal.
std::string to_string(const ModelRecipe& recipe);

// What is being trained, and how far it is.
struct ModelProgress {
  std::string part;  // "rank", "trees", "shortlist", "level", "vendor", "failure"
  double done = 0;   // of the whole model, 0 to 1
  TrainingProgress net;
};
using ModelProgressSink = std::function<bool(const ModelProgress&)>;

// Trains a model on the `chosen` ones of `problems`. `matrix` is extract_features(problems).
// Nets of roles without data (no vendor timed, nothing failed) are left out. The card is empty.
Result<Snapshot> train_model(std::span<const TimedProblem> problems, const FeatureMatrix& matrix,
                             std::span<const size_t> chosen, const std::string& name,
                             const ModelRecipe& recipe, const ModelProgressSink& progress);

}  // namespace triode::train
