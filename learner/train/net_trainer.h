// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/status.h"
#include "learner/model/net.h"

namespace triode::train {

// Rows to learn from, and the lists that rows are compared in: a list holds configs of one problem.
struct TrainingLists {
  size_t features = 0;
  std::vector<float> x;         // row-major, `features` a row, standardised
  std::vector<float> y;         // one per row; what it means is the objective's
  size_t length = 0;            // places of a list
  std::vector<int32_t> rows;    // list by list, `length` places each; -1 is an empty place
  std::vector<uint64_t> group;  // of each list: lists of one group are held out together
  std::vector<size_t> first;    // first row of each problem, whose rows are neighbours; and the end

  size_t list_count() const { return length == 0 ? 0 : rows.size() / length; }
};

enum class Objective : uint8_t {
  // y is ln(time / best time of the problem). Learns differences within a list: squared error about
  // the list's weighted mean, rows near the best weighing most, and a listwise term that compares
  // the order of the best ones alone.
  kRank,
  kSquaredError,  // y is the value
  kLogistic,      // y is 0 or 1, the output a logit
};

// How to train. The defaults are the shipped model's; docs/learning.md says how they were chosen.
struct NetRecipe {
  Objective objective = Objective::kRank;
  std::vector<int32_t> hidden = {64, 64, 64};
  Activation activation = Activation::kSilu;  // the smooth one learns better, and costs more
  int32_t members = 6;  // nets trained side by side from different starts; more is better, slower
  int32_t epochs = 100;
  int32_t batch = 64;           // lists a step
  double learning_rate = 3e-3;  // at its peak; warms up and falls along a cosine
  double weight_decay = 1e-2;
  double near_best = 0.1;  // kRank: a row weighs 1 / (near_best + y); less looks closer at the best
  double squared_weight = 10;    // kRank: of the squared error
  double listwise_weight = 0.1;  // kRank: of the listwise term
  double temperature = 0.05;     // of that term, in ln time; less looks closer at the best
  int32_t held_out_parts = 8;    // each net trains without one part of the groups, and stops by it
  // Above 0: the held-out part is looked at after every epoch, and the training ends after so many
  // in a row in which no net got better.
  int32_t patience = 0;
  int32_t threads = 1;
  uint64_t seed = 0;
};

// Where a training stands, after each epoch.
struct TrainingProgress {
  int32_t epoch = 0;
  int32_t epochs = 0;
  double training_loss = 0;  // mean of the members
  // The same, each on its own part, when last looked at; kRank: ln regret. Infinite if no member
  // holds anything out.
  double held_out_loss = 0;
};
// False stops the training: kUnavailable.
using ProgressSink = std::function<bool(const TrainingProgress&)>;

// Trains `members` nets at once, each with the weights it had when its held-out part was predicted
// best, or its last ones if that part is empty. The same lists and recipe give the same nets on the
// same machine and thread count. `inputs` of the nets is left empty: the caller knows which
// features the columns are. Exceptions of libtorch become kInternal.
Result<std::vector<Net>> train_nets(const TrainingLists& lists, const NetRecipe& recipe,
                                    const ProgressSink& progress);

// Values of a net for rows, computed by libtorch: what plain inference has to agree with.
Result<std::vector<float>> evaluate_net(const Net& net, size_t features,
                                        const std::vector<float>& x);

}  // namespace triode::train
