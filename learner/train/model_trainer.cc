// SPDX-License-Identifier: Apache-2.0
#include "learner/train/model_trainer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>

#include "learner/train/online_prior.h"
#include "learner/train/split.h"

namespace triode::train {
namespace {

// Shares of the whole work, for the progress alone.
constexpr double kTreeShare = 0.1;
constexpr double kRankShare = 0.7;
constexpr double kStudentShare = 0.1;
constexpr double kLevelShare = 0.06;
constexpr double kVendorShare = 0.02;
constexpr double kFailureShare = 0.02;

// Failures that fit the device are rare; below this many there is nothing to learn.
constexpr int kLeastFailures = 20;

class ModelTraining {
 public:
  ModelTraining(std::span<const TimedProblem> problems, const FeatureMatrix& matrix,
                std::span<const size_t> chosen, const ModelRecipe& recipe,
                const ModelProgressSink& progress)
      : problems_(problems),
        matrix_(matrix),
        chosen_(chosen),
        recipe_(recipe),
        progress_(progress),
        standardisation_(standardise(matrix, chosen)),
        inputs_(varying_features(matrix, chosen, matrix.features())),
        problem_inputs_(varying_features(matrix, chosen, matrix.table->problem_count)) {}

  Result<Snapshot> run(const std::string& name) {
    Snapshot snapshot;
    snapshot.kind = matrix_.table->kind;
    snapshot.name = name;
    snapshot.schema_hash = matrix_.table->schema_hash;
    for (const FeatureDescription& feature : matrix_.table->features) {
      snapshot.feature_names.emplace_back(feature.name);
    }
    snapshot.standardisation = standardisation_;
    snapshot.shortlist = recipe_.shortlist;
    snapshot.trees = TRIODE_TRY(rank_trees());
    snapshot.nets = TRIODE_TRY(rank_nets());
    TRIODE_TRY(add_level(snapshot));
    TRIODE_TRY(add_vendor(snapshot));
    TRIODE_TRY(add_failure(snapshot));
    snapshot.support = support();
    std::vector<TimedProblem> used;
    for (const size_t problem : chosen_) used.push_back(problems_[problem]);
    snapshot.training_digest = data_digest(used);
    snapshot.online = TRIODE_TRY(
        online_prior(snapshot, used, {recipe_.prior_problems, recipe_.noise, recipe_.ridge}));
    return snapshot;
  }

 private:
  LearningView view(std::span<const uint16_t> inputs) const {
    return {problems_, matrix_, chosen_, standardisation_, inputs};
  }

  ProgressSink report(const std::string& part, double share) const {
    return [this, part, share](const TrainingProgress& net) {
      const double here = share * net.epoch / net.epochs;
      return !progress_ || progress_({part, done_ + here, net});
    };
  }

  Result<std::vector<Net>> train(const TrainingLists& lists, const NetRecipe& recipe, NetRole role,
                                 std::span<const uint16_t> inputs, const std::string& part,
                                 double share) {
    std::vector<Net> nets = TRIODE_TRY(train_nets(lists, recipe, report(part, share)));
    done_ += share;
    for (Net& net : nets) {
      net.role = role;
      net.inputs.assign(inputs.begin(), inputs.end());
    }
    return nets;
  }

  Result<TreeEnsemble> rank_trees() {
    if (recipe_.trees.trees == 0) return TreeEnsemble{};
    const TrainingLists lists = rank_lists(view(inputs_), recipe_.lists);
    TreeEnsemble trees = TRIODE_TRY(train_trees(lists, recipe_.trees, report("trees", kTreeShare)));
    done_ += kTreeShare;
    for (uint16_t& feature : trees.feature) feature = inputs_[feature];
    return trees;
  }

  // The student first, then its teachers.
  Result<std::vector<Net>> rank_nets() {
    TrainingLists lists = rank_lists(view(inputs_), recipe_.lists);
    const std::vector<Net> teachers =
        TRIODE_TRY(train(lists, recipe_.rank, NetRole::kRank, inputs_, "rank", kRankShare));
    TRIODE_TRY(teach(lists, teachers));
    std::vector<Net> nets = TRIODE_TRY(
        train(lists, recipe_.student, NetRole::kRank, inputs_, "shortlist", kStudentShare));
    nets.insert(nets.end(), teachers.begin(), teachers.end());
    return nets;
  }

  // Replaces what was measured by what the teachers say of it: less noise, and for every config.
  static Status teach(TrainingLists& lists, const std::vector<Net>& teachers) {
    std::vector<double> sum(lists.y.size());
    for (const Net& teacher : teachers) {
      const std::vector<float> says = TRIODE_TRY(evaluate_net(teacher, lists.features, lists.x));
      for (size_t row = 0; row < sum.size(); ++row) sum[row] += says[row];
    }
    for (size_t problem = 0; problem + 1 < lists.first.size(); ++problem) {
      const auto begin = sum.begin() + static_cast<std::ptrdiff_t>(lists.first[problem]);
      const auto end = sum.begin() + static_cast<std::ptrdiff_t>(lists.first[problem + 1]);
      const double least = *std::min_element(begin, end);
      for (size_t row = lists.first[problem]; row < lists.first[problem + 1]; ++row) {
        lists.y[row] =
            static_cast<float>((sum[row] - least) / static_cast<double>(teachers.size()));
      }
    }
    return {};
  }

  Status add_level(Snapshot& snapshot) {
    const TrainingLists lists = level_lists(view(inputs_), recipe_.lists);
    return add(snapshot, lists, recipe_.level, NetRole::kLevel, inputs_, "level", kLevelShare);
  }

  Status add_vendor(Snapshot& snapshot) {
    const TrainingLists lists = vendor_lists(view(problem_inputs_));
    return add(snapshot, lists, recipe_.vendor, NetRole::kVendor, problem_inputs_, "vendor",
               kVendorShare);
  }

  Status add_failure(Snapshot& snapshot) {
    const TrainingLists lists = failure_lists(view(inputs_), recipe_.lists);
    const auto failures = std::count(lists.y.begin(), lists.y.end(), 1.0F);
    if (failures < kLeastFailures) return {};
    return add(snapshot, lists, recipe_.failure, NetRole::kFailure, inputs_, "failure",
               kFailureShare);
  }

  Status add(Snapshot& snapshot, const TrainingLists& lists, const NetRecipe& recipe, NetRole role,
             std::span<const uint16_t> inputs, const std::string& part, double share) {
    if (lists.list_count() == 0) return {};
    std::vector<Net> nets = TRIODE_TRY(train(lists, recipe, role, inputs, part, share));
    snapshot.nets.push_back(std::move(nets.front()));
    return {};
  }

  TrainingSupport support() const {
    TrainingSupport support;
    const auto note = [](auto& list, const auto& value) {
      if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    support.problem_least.assign(matrix_.table->problem_count, INFINITY);
    support.problem_greatest.assign(matrix_.table->problem_count, -INFINITY);
    for (const size_t problem : chosen_) {
      const TimedProblem& timed = problems_[problem];
      note(support.devices, timed.device->name);
      note(support.families, timed.family);
      note(support.ops, timed.problem.op);
      note(support.dtypes, timed.problem.a_type);
      const std::span<const float> row = matrix_.row(matrix_.first[problem]);
      for (size_t f = 0; f < support.problem_least.size(); ++f) {
        support.problem_least[f] = std::min(support.problem_least[f], row[f]);
        support.problem_greatest[f] = std::max(support.problem_greatest[f], row[f]);
      }
    }
    return support;
  }

  std::span<const TimedProblem> problems_;
  const FeatureMatrix& matrix_;
  std::span<const size_t> chosen_;
  const ModelRecipe& recipe_;
  const ModelProgressSink& progress_;
  Standardisation standardisation_;
  std::vector<uint16_t> inputs_;
  std::vector<uint16_t> problem_inputs_;
  double done_ = 0;
};

void describe(std::ostringstream& out, const char* part, const NetRecipe& net) {
  out << part << ": members=" << net.members << " hidden=";
  for (size_t i = 0; i < net.hidden.size(); ++i) out << (i == 0 ? "" : "x") << net.hidden[i];
  out << (net.activation == Activation::kRelu ? " relu" : " silu") << " epochs=" << net.epochs
      << " batch=" << net.batch << " lr=" << net.learning_rate << " decay=" << net.weight_decay;
  if (net.objective == Objective::kRank) {
    out << " near_best=" << net.near_best << " squared=" << net.squared_weight
        << " listwise=" << net.listwise_weight << " temperature=" << net.temperature;
  }
  out << " parts=" << net.held_out_parts << " seed=" << net.seed << "; ";
}

}  // namespace

ModelRecipe ModelRecipe::standard(uint64_t seed, int32_t threads) {
  ModelRecipe recipe;
  recipe.rank.members = 8;
  recipe.rank.epochs = 60;
  recipe.rank.held_out_parts = 16;
  recipe.student.members = 1;
  recipe.student.hidden = {64, 48};
  recipe.student.activation = Activation::kRelu;  // it sees every config of a space
  recipe.student.epochs = 40;
  recipe.level.objective = Objective::kSquaredError;
  recipe.level.members = 1;
  recipe.level.hidden = {48, 48};
  recipe.level.epochs = 20;
  recipe.vendor = recipe.level;
  recipe.vendor.hidden = {32, 32};
  recipe.vendor.epochs = 60;
  recipe.failure = recipe.vendor;
  recipe.failure.objective = Objective::kLogistic;
  recipe.failure.epochs = 10;
  recipe.trees.seed = seed;
  for (NetRecipe* net :
       {&recipe.rank, &recipe.student, &recipe.level, &recipe.vendor, &recipe.failure}) {
    net->seed = seed;
    net->threads = threads;
  }
  return recipe;
}

// A list of a hundred CPU configs teaches as much in one step as four of a GPU's thirty. Fewer nets
// and epochs, since there are more rows: four folds are judged in minutes.
ModelRecipe ModelRecipe::standard_for(DeviceKind kind, uint64_t seed, int32_t threads) {
  ModelRecipe recipe = standard(seed, threads);
  if (kind == DeviceKind::kCpu) {
    for (NetRecipe* net : {&recipe.rank, &recipe.student, &recipe.level}) net->batch = 16;
    recipe.rank.members = 4;
    recipe.rank.epochs = 40;
    recipe.trees.trees = 0;  // what trees would add was measured on gpu timings alone
  }
  return recipe;
}

std::string to_string(const ModelRecipe& recipe) {
  std::ostringstream out;
  describe(out, "rank", recipe.rank);
  const TreeRecipe& trees = recipe.trees;
  out << "trees: " << trees.trees << " depth=" << trees.depth << " lr=" << trees.learning_rate
      << " l2=" << trees.l2 << " lists=" << trees.list_share << " features=" << trees.feature_share
      << " bins=" << trees.bins << " gain_fall=" << trees.gain_fall << " top=" << trees.top_places
      << " share=" << trees.share << " seed=" << trees.seed << "; ";
  describe(out, "shortlist", recipe.student);
  describe(out, "level", recipe.level);
  describe(out, "vendor", recipe.vendor);
  describe(out, "failure", recipe.failure);
  out << "shortlist=" << recipe.shortlist << " prior_problems=" << recipe.prior_problems
      << " noise=" << recipe.noise << " ridge=" << recipe.ridge;
  return out.str();
}

Result<Snapshot> train_model(std::span<const TimedProblem> problems, const FeatureMatrix& matrix,
                             std::span<const size_t> chosen, const std::string& name,
                             const ModelRecipe& recipe, const ModelProgressSink& progress) {
  if (chosen.empty()) return invalid_argument("there are no problems to train on");
  return ModelTraining(problems, matrix, chosen, recipe, progress).run(name);
}

}  // namespace triode::train
