// SPDX-License-Identifier: Apache-2.0
#include "tools/train/train_options.h"

#include <CLI/CLI.hpp>

#include "train_help.h"

namespace triode::train_tool {
namespace {

void declare(CLI::App& app, TrainOptions& options) {
  app.set_help_flag();  // the help text is docs/cli/train.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
  app.add_option("--data", options.data);
  app.add_option("--cache", options.caches);
  app.add_option("--device", options.device);
  app.add_option("--except-shapes-of", options.except);
  app.add_option("--output,-o", options.output);
  app.add_option("--name", options.name);
  app.add_option("--card", options.card);
  app.add_option("--members", options.members)->check(CLI::Range(1, 64));
  app.add_option("--epochs", options.epochs)->check(CLI::Range(1, 10'000));
  app.add_option("--batch-size", options.batch)->check(CLI::Range(1, 100'000));
  app.add_option("--learning-rate", options.learning_rate)->check(CLI::PositiveNumber);
  app.add_option("--weight-decay", options.weight_decay)->check(CLI::NonNegativeNumber);
  app.add_option("--hidden-dim", options.hidden_dim)->check(CLI::Range(1, 1024));
  app.add_option("--num-layers", options.layers)->check(CLI::Range(1, 7));
  app.add_option("--patience", options.patience)->check(CLI::Range(1, 10'000));
  app.add_option("--hold-out", options.hold_out)->check(CLI::Range(2, 1'000));
  app.add_option("--history", options.history);
  app.add_option("--hardware-name", options.hardware);
  app.add_option("--op-name", options.op)->check(CLI::IsMember({"mm", "addmm", "bmm"}));
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 256));
  app.add_option("--seed", options.seed);
}

}  // namespace

std::string_view help_text() {
  return help::kTrainHelp;
}

Result<TrainOptions> parse_train_options(const std::vector<std::string>& arguments) {
  TrainOptions options;
  CLI::App app;
  declare(app, options);
  try {
    // It pops from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  if (options.help || options.version) return options;
  if (options.data.empty() && options.caches.empty()) {
    return invalid_argument("neither --data nor --cache names timings");
  }
  if (options.output.empty()) return invalid_argument("--output names no file for the snapshot");
  return options;
}

}  // namespace triode::train_tool
