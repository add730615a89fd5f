// SPDX-License-Identifier: Apache-2.0
// The program behind `triode train`.

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cache/exchange/source_file.h"
#include "learner/train/model_card.h"
#include "learner/train/model_trainer.h"
#include "learner/train/split.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/collect/collected_trials.h"
#include "tools/toolkit/hand_over.h"
#include "tools/train/progress_line.h"
#include "tools/train/train_options.h"

namespace triode::train_tool {
namespace {

constexpr std::string_view kCommand = "train";

Result<std::string> read_text(const std::string& path) {
  if (path.empty()) return std::string();
  const auto file = TRIODE_TRY(exchange::SourceFile::read(path));
  return std::string(file.bytes());
}

Result<std::vector<train::TimedProblem>> training_problems(const TrainOptions& options) {
  auto problems = TRIODE_TRY(collect::read_timings(options.data, options.device, options.caches));
  TRIODE_TRY(collect::keep_only(options.hardware, options.op, problems));
  const auto except = TRIODE_TRY(collect::read_timings(options.except, options.device, {}));
  std::unordered_set<uint64_t> groups;
  for (const train::TimedProblem& timed : except) groups.insert(train::shape_group(timed.problem));
  std::erase_if(problems, [&](const train::TimedProblem& timed) {
    return groups.contains(train::shape_group(timed.problem));
  });
  return problems;
}

train::ModelRecipe recipe_of(const TrainOptions& options, DeviceKind kind) {
  train::ModelRecipe recipe = train::ModelRecipe::standard_for(kind, options.seed, options.threads);
  if (options.members > 0) recipe.rank.members = options.members;
  if (options.epochs > 0) recipe.rank.epochs = recipe.student.epochs = options.epochs;
  train::NetRecipe& rank = recipe.rank;
  if (options.batch > 0) rank.batch = options.batch;
  if (options.learning_rate > 0) rank.learning_rate = options.learning_rate;
  if (options.weight_decay >= 0) rank.weight_decay = options.weight_decay;
  if (options.layers > 0) rank.hidden.resize(static_cast<size_t>(options.layers), rank.hidden[0]);
  if (options.hidden_dim > 0) std::ranges::fill(rank.hidden, options.hidden_dim);
  rank.patience = options.patience;
  return recipe;
}

// The losses of every epoch, by part: what a plot of a training shows.
class History {
 public:
  void add(const train::ModelProgress& progress) {
    const auto known = [](double loss) {
      return std::isfinite(loss) ? nlohmann::json(loss) : nlohmann::json();
    };
    parts_[progress.part].push_back({{"epoch", progress.net.epoch},
                                     {"training_loss", known(progress.net.training_loss)},
                                     {"held_out_loss", known(progress.net.held_out_loss)}});
  }

  Status write(const std::string& path) const {
    if (path.empty()) return {};
    std::ofstream file(path);
    file << parts_.dump(1) << "\n";
    file.close();
    return file ? Status() : unavailable("cannot write " + path);
  }

 private:
  nlohmann::json parts_ = nlohmann::json::object();
};

// All, or those of the shapes that are not held out.
std::vector<size_t> trained_problems(const std::vector<train::TimedProblem>& problems,
                                     const TrainOptions& options) {
  if (options.hold_out > 1) {
    return train::grouped_folds(problems, options.hold_out, options.seed).front().train;
  }
  std::vector<size_t> all(problems.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

void report(const TrainOptions& options, const Snapshot& snapshot, size_t problems,
            size_t held_out) {
  const std::string digest = snapshot_digest(snapshot);
  if (options.json) {
    const nlohmann::json json = {{"snapshot", options.output},
                                 {"digest", digest},
                                 {"data_digest", snapshot.training_digest},
                                 {"problems", problems},
                                 {"held_out", held_out},
                                 {"bytes", write_snapshot(snapshot).size()}};
    std::cout << json.dump() << "\n";
  } else {
    std::cout << options.output << ": model " << digest.substr(0, 12) << " of " << problems
              << " problems, data " << snapshot.training_digest.substr(0, 12) << "\n";
  }
}

Status train(const TrainOptions& options) {
  const std::string introduction = TRIODE_TRY(read_text(options.card));
  const std::vector<train::TimedProblem> problems = TRIODE_TRY(training_problems(options));
  const train::FeatureMatrix matrix = TRIODE_TRY(train::extract_features(problems));
  const std::vector<size_t> chosen = trained_problems(problems, options);
  ProgressLine line = progress_on_stderr(options.quiet);
  const train::ModelRecipe recipe = recipe_of(options, matrix.table->kind);
  History history;
  auto trained = train::train_model(
      problems, matrix, chosen, options.name, recipe, [&](const train::ModelProgress& progress) {
        history.add(progress);
        line.show(progress.done, progress.part + ": epoch " + std::to_string(progress.net.epoch) +
                                     " of " + std::to_string(progress.net.epochs));
        return true;
      });
  line.finish();
  Snapshot snapshot = TRIODE_TRY(std::move(trained));
  snapshot.card = train::model_card(snapshot, problems, recipe, introduction);
  TRIODE_TRY(save_snapshot(snapshot, options.output));
  TRIODE_TRY(history.write(options.history));
  report(options, snapshot, chosen.size(), problems.size() - chosen.size());
  return {};
}

// Of diode's toolkit, under which they mean what `--data`, `--output`, `--epochs` and more do here.
constexpr std::array<std::string_view, 7> kToolkitOptions = {
    "--dataset",    "--data-dir", "--model",          "--model-type",
    "--num-epochs", "--log-dir",  "--file-extensions"};

int run(const std::vector<std::string>& arguments) {
  if (toolkit::has_option(arguments, kToolkitOptions)) {
    return cli::complain(kCommand, toolkit::become_toolkit("train", arguments), cli::kFailed);
  }
  const auto options = parse_train_options(arguments);
  if (!options.ok()) return cli::complain(kCommand, options.status(), cli::kWrongUsage);
  if (options->help) {
    std::cout << help_text();
    return cli::kDone;
  }
  if (options->version) {
    cli::print_version("triode-train", options->json, std::cout);
    return cli::kDone;
  }
  const Status status = train(*options);
  return status.ok() ? cli::kDone : cli::complain(kCommand, status, cli::kFailed);
}

}  // namespace
}  // namespace triode::train_tool

int main(int argc, char** argv) {
  const int code = triode::train_tool::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
