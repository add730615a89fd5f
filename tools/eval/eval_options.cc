// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/eval_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "eval_help.h"

namespace triode::eval_tool {
namespace {

constexpr std::array<std::pair<std::string_view, SplitKind>, 4> kSplits = {{
    {"all", SplitKind::kAll},
    {"grouped", SplitKind::kGrouped},
    {"shift", SplitKind::kShift},
    {"each", SplitKind::kEach},
}};

void declare(CLI::App& app, EvalOptions& options, std::string& split, std::string& policy) {
  app.set_help_flag();  // the help text is docs/cli/eval.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
  app.add_option("--data", options.data);
  app.add_option("--cache", options.caches);
  app.add_option("--device", options.device);
  app.add_option("--model", options.model);
  app.add_option("--split", split)->check(CLI::IsMember({"all", "grouped", "shift", "each"}));
  app.add_option("--folds", options.folds)->check(CLI::Range(2, 20));
  app.add_option("--k", options.ks)->delimiter(',')->check(CLI::Range(1, 100'000));
  app.add_flag("--online", options.online);
  app.add_option("--timings", options.timings)->check(CLI::Range(2, 10'000));
  app.add_option("--batch", options.batch)->check(CLI::Range(2, 1'000));
  app.add_option("--orders", options.orders)->check(CLI::Range(1, 1'000));
  app.add_option("--policy", policy);
  app.add_option("--slow", options.slow)->check(CLI::Range(0, 100'000));
  app.add_flag("!--no-peers", options.peers);
  app.add_option("--python", options.python);
  app.add_option("--members", options.members)->check(CLI::Range(1, 64));
  app.add_option("--epochs", options.epochs)->check(CLI::Range(1, 10'000));
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 256));
  app.add_option("--seed", options.seed);
  app.add_option("--hold-out", options.hold_out)->check(CLI::Range(2, 1'000));
  app.add_option("--predictions", options.predictions);
  app.add_option("--hardware-name", options.hardware);
  app.add_option("--op-name", options.op)->check(CLI::IsMember({"mm", "addmm", "bmm"}));
}

}  // namespace

std::string_view help_text() {
  return help::kEvalHelp;
}

std::string_view to_string(SplitKind kind) {
  return std::find_if(kSplits.begin(), kSplits.end(),
                      [&](const auto& row) { return row.second == kind; })
      ->first;
}

Result<EvalOptions> parse_eval_options(const std::vector<std::string>& arguments) {
  EvalOptions options;
  std::string split = "all";
  std::string policy = "reserved";
  CLI::App app;
  declare(app, options, split, policy);
  try {
    // It pops from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  options.split = std::find_if(kSplits.begin(), kSplits.end(), [&](const auto& row) {
                    return row.first == split;
                  })->second;
  options.policy = TRIODE_TRY(parse_policy_kind(policy));
  if (options.help || options.version) return options;
  if (options.data.empty() && options.caches.empty()) {
    return invalid_argument("neither --data nor --cache names timings");
  }
  if (options.hold_out > 1 && options.split != SplitKind::kAll) {
    return invalid_argument("--hold-out is of a model that was trained before: --split all");
  }
  std::sort(options.ks.begin(), options.ks.end());
  return options;
}

}  // namespace triode::eval_tool
