// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/evaluation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "learner/train/baselines.h"
#include "learner/train/model_trainer.h"
#include "learner/train/split.h"
#include "runtime/model/shipped_models.h"
#include "tools/collect/collected_trials.h"
#include "tools/eval/peers.h"

namespace triode::eval_tool {
namespace {

using train::Split;
using train::TimedProblem;

// Every shape group alone in the test part once.
std::vector<Split> split_each(const std::vector<TimedProblem>& problems) {
  std::map<uint64_t, Split> by_group;
  for (const TimedProblem& timed : problems) by_group[train::shape_group(timed.problem)];
  std::vector<Split> splits;
  for (auto& [group, split] : by_group) {
    for (size_t i = 0; i < problems.size(); ++i) {
      const bool is_test = train::shape_group(problems[i].problem) == group;
      (is_test ? split.test : split.train).push_back(i);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

std::vector<Split> splits_of(const std::vector<TimedProblem>& problems,
                             const EvalOptions& options) {
  switch (options.split) {
    case SplitKind::kGrouped:
      return train::grouped_folds(problems, options.folds, options.seed);
    case SplitKind::kShift:
      return {train::shift_split(problems)};
    case SplitKind::kEach:
      return split_each(problems);
    case SplitKind::kAll:
      break;
  }
  Split split;
  if (options.hold_out > 1) {
    split.test = train::grouped_folds(problems, options.hold_out, options.seed).front().test;
    return {split};
  }
  split.test.resize(problems.size());
  std::iota(split.test.begin(), split.test.end(), size_t{0});
  return {split};
}

class Evaluator {
 public:
  Evaluator(const EvalOptions& options, const Progress& progress)
      : options_(options), progress_(progress) {}

  Result<Evaluation> run() {
    out_.problems =
        TRIODE_TRY(collect::read_timings(options_.data, options_.device, options_.caches));
    TRIODE_TRY(collect::keep_only(options_.hardware, options_.op, out_.problems));
    splits_ = splits_of(out_.problems, options_);
    out_.data_digest = train::data_digest(out_.problems);
    out_.split_digest = train::split_digest(out_.problems, splits_);
    if (options_.split != SplitKind::kAll || options_.peers) {
      matrix_ = TRIODE_TRY(train::extract_features(out_.problems));
    }
    if (options_.peers) TRIODE_TRY(ask());
    for (size_t fold = 0; fold < splits_.size(); ++fold) {
      const Split& split = splits_[fold];
      const auto model = TRIODE_TRY(model_for(split, fold));
      out_.models.push_back(model->digest());
      const std::vector<size_t> judged = TRIODE_TRY(judge_model(split.test, *model, fold));
      if (!options_.predictions.empty()) {
        TRIODE_TRY(predict(out_.problems, judged, *model, out_.predictions));
      }
      TRIODE_TRY(judge_baselines(judged, fold));
      TRIODE_TRY(judge_peers(judged, fold));
      if (options_.online) TRIODE_TRY(judge_online(judged, fold, model));
    }
    return std::move(out_);
  }

 private:
  Result<std::shared_ptr<const CostModel>> model_for(const Split& split, size_t fold) {
    Snapshot snapshot = TRIODE_TRY(options_.split == SplitKind::kAll ? find_snapshot(options_.model)
                                                                     : trained(split, fold));
    CostModel model = TRIODE_TRY(CostModel::make(std::move(snapshot)));
    return std::make_shared<const CostModel>(std::move(model));
  }

  Result<Snapshot> trained(const Split& split, size_t fold) {
    train::ModelRecipe recipe =
        train::ModelRecipe::standard_for(matrix_.table->kind, options_.seed, options_.threads);
    if (options_.members > 0) recipe.rank.members = options_.members;
    if (options_.epochs > 0) recipe.rank.epochs = recipe.student.epochs = options_.epochs;
    const std::string part =
        "model " + std::to_string(fold + 1) + " of " + std::to_string(splits_.size()) + ", ";
    return train::train_model(
        out_.problems, matrix_, split.train, options_.model, recipe,
        [&](const train::ModelProgress& progress) {
          const auto done =
              (static_cast<double>(fold) + progress.done) / static_cast<double>(splits_.size());
          progress_(done, part + progress.part + ": epoch " + std::to_string(progress.net.epoch) +
                              " of " + std::to_string(progress.net.epochs));
          return true;
        });
  }

  // The problems that the model can rank: whatever stands beside it is judged on the same.
  Result<std::vector<size_t>> judge_model(const std::vector<size_t>& test, const CostModel& model,
                                          size_t fold) {
    TRIODE_TRY(check_kind(test, model));
    const size_t before = out_.model.size();
    TRIODE_TRY(train::judge_choices(out_.problems, test, train::rank_by(model), options_.ks, fold,
                                    out_.model));
    std::vector<size_t> judged;
    for (size_t i = before; i < out_.model.size(); ++i) {
      if (out_.model[i].passed_over.empty()) judged.push_back(out_.model[i].problem);
    }
    return judged;
  }

  // A model for another kind of device was named by mistake: there is nothing to pass over.
  Status check_kind(const std::vector<size_t>& test, const CostModel& model) const {
    for (const size_t problem : test) {
      const DeviceTraits& device = *out_.problems[problem].device;
      if (device.kind == model.snapshot().kind) continue;
      return unsupported("the model " + options_.model + " is for a " +
                         std::string(to_string(model.snapshot().kind)) +
                         ", and there are timings of " + device.name + "; --model names another");
    }
    return {};
  }

  Status ask() {
    progress_(0, "asking peers: LightGBM, AutoHeuristic, nvMatmulHeuristics");
    std::vector<Split> splits = splits_;
    if (options_.split == SplitKind::kAll) splits = splits_for_static(0);
    peers_ = TRIODE_TRY(ask_peers(
        {out_.problems, matrix_, splits, options_.python, options_.seed, options_.threads}));
    for (const auto& [name, peer] : peers_) {
      if (!peer.missing.empty()) out_.missing[name] = peer.missing;
    }
    return {};
  }

  Status judge_peers(const std::vector<size_t>& test, size_t fold) {
    for (const auto& [name, peer] : peers_) {
      std::vector<size_t> ranked;
      for (const size_t problem : test) {
        if (peer.orders.count(problem) != 0) ranked.push_back(problem);
      }
      if (ranked.empty()) continue;
      TRIODE_TRY(train::judge_choices(out_.problems, ranked, rank_by(peer, out_.problems),
                                      options_.ks, fold, out_.baselines[name]));
    }
    return {};
  }

  // What a static list may learn from: the split's own training part, or, where there is none, what
  // is not held out or the other three quarters of the shapes.
  std::vector<Split> splits_for_static(size_t fold) const {
    if (options_.split != SplitKind::kAll) return {splits_[fold]};
    if (options_.hold_out > 1) {
      return {train::grouped_folds(out_.problems, options_.hold_out, options_.seed).front()};
    }
    return train::grouped_folds(out_.problems, options_.folds, options_.seed);
  }

  Status judge_baselines(const std::vector<size_t>& test, size_t fold) {
    const auto judge = [&](const std::string& name, const std::vector<size_t>& chosen,
                           const train::Ranker& ranker) {
      return train::judge_choices(out_.problems, chosen, ranker, options_.ks, fold,
                                  out_.baselines[name]);
    };
    TRIODE_TRY(judge("random", test, train::random_ranker(options_.seed)));
    TRIODE_TRY(judge("analytical", test, train::analytical_ranker()));
    for (const Split& split : splits_for_static(fold)) {
      for (const std::string& device : devices(split.test)) {
        const auto ranker =
            train::static_ranker(out_.problems, on(device, split.train), options_.ks.back());
        TRIODE_TRY(judge("static", on(device, both(split.test, test)), ranker));
      }
    }
    return {};
  }

  Status judge_online(const std::vector<size_t>& test, size_t fold,
                      std::shared_ptr<const CostModel> model) {
    for (const std::string& device : devices(test)) {
      for (size_t order = 0; order < options_.orders; ++order) {
        for (const bool learns : {true, false}) {
          train::StreamOptions stream{.timings = options_.timings,
                                      .learns = learns,
                                      .policy = {},
                                      .seed = options_.seed + order};
          stream.policy.kind = learns ? options_.policy : PolicyKind::kGreedy;
          stream.policy.batch = options_.batch;
          if (options_.slow > 0) {
            stream.slow.emplace();
            stream.slow->problems_between = options_.slow;
          }
          out_.streams.push_back(
              {device, order, fold, learns,
               TRIODE_TRY(train::stream(out_.problems, on(device, test), model, stream))});
        }
      }
    }
    return {};
  }

  // Those of `some` that are in `others`, in the order of `some`.
  static std::vector<size_t> both(const std::vector<size_t>& some,
                                  const std::vector<size_t>& others) {
    const std::set<size_t> wanted(others.begin(), others.end());
    std::vector<size_t> out;
    std::copy_if(some.begin(), some.end(), std::back_inserter(out),
                 [&](size_t problem) { return wanted.contains(problem); });
    return out;
  }

  std::set<std::string> devices(const std::vector<size_t>& chosen) const {
    std::set<std::string> names;
    for (const size_t problem : chosen) names.insert(out_.problems[problem].device->name);
    return names;
  }

  std::vector<size_t> on(const std::string& device, const std::vector<size_t>& chosen) const {
    std::vector<size_t> some;
    for (const size_t problem : chosen) {
      if (out_.problems[problem].device->name == device) some.push_back(problem);
    }
    return some;
  }

  const EvalOptions& options_;
  const Progress& progress_;
  Evaluation out_;
  std::vector<Split> splits_;
  train::FeatureMatrix matrix_;
  std::map<std::string, Peer> peers_;
};

}  // namespace

Result<Evaluation> evaluate(const EvalOptions& options, const Progress& progress) {
  return Evaluator(options, progress).run();
}

}  // namespace triode::eval_tool
