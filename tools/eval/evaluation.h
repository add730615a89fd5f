// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/status.h"
#include "learner/train/choice_judge.h"
#include "learner/train/online_judge.h"
#include "learner/train/timed_problem.h"
#include "tools/eval/eval_options.h"
#include "tools/eval/predictions.h"

namespace triode::eval_tool {

// A stream of problems in one of the orders.
struct StreamRun {
  std::string device;
  size_t order = 0;
  size_t fold = 0;
  bool learns = true;
  std::vector<train::StreamedChoice> choices;
};

// All that was judged.
struct Evaluation {
  std::vector<train::TimedProblem> problems;
  std::vector<train::Judgement> model;  // those it passed over too
  std::map<std::string, std::vector<train::Judgement>> baselines;
  std::map<std::string, std::string> missing;  // peers that could not be asked: why, what to do
  std::vector<StreamRun> streams;              // empty without --online
  std::vector<Prediction> predictions;         // empty without --predictions
  std::vector<std::string> models;             // digest of each that was judged
  std::string split_digest;
  std::string data_digest;
};

// `progress(done, what)` is told how far the work is.
using Progress = std::function<void(double done, const std::string& what)>;

// Reads the data, trains a model for each part of the split (or loads the one that was named), and
// judges it beside the baselines on problems it has not seen: all on those that the model can rank.
Result<Evaluation> evaluate(const EvalOptions& options, const Progress& progress);

}  // namespace triode::eval_tool
