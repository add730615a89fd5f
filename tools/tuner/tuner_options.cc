// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/tuner_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace triode::tuner {
namespace {

void add_cache(CLI::App& app, TunerOptions& options) {
  app.add_option("--cache", options.cache)->envname("TRIODE_CACHE");
}

void add_output(CLI::App& app, TunerOptions& options) {
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
}

}  // namespace

Result<TunerOptions> parse_tuner_options(std::vector<std::string> words) {
  TunerOptions options;
  const auto has = [&words](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (has("--help") || has("-h")) return options;
  options.json = has("--json");
  if (has("--version")) {
    options.command = Command::kVersion;
    return options;
  }
  CLI::App app;
  app.set_help_flag();
  app.require_subcommand(1);
  const auto add = [&](const char* name, Command command) {
    CLI::App* const sub = app.add_subcommand(name);
    sub->set_help_flag();
    sub->callback([&options, command] { options.command = command; });
    return sub;
  };
  for (CLI::App* const sub : {add("start", Command::kStart), add("stop", Command::kStop),
                              add("status", Command::kStatus)}) {
    add_cache(*sub, options);
    add_output(*sub, options);
  }
  CLI::App* const logs = add("logs", Command::kLogs);
  add_cache(*logs, options);
  add_output(*logs, options);
  logs->add_option("--lines", options.lines)->check(CLI::NonNegativeNumber);
  CLI::App* const serve = add("serve", Command::kServe);
  add_cache(*serve, options);
  serve->add_option("--idle-seconds", options.idle_seconds)->check(CLI::NonNegativeNumber);
  serve->add_option("--cpu-share", options.cpu_share)
      ->envname("TRIODE_TUNER_SHARE")
      ->check(CLI::Range(0.001, 1.0));
  serve->add_option("--margin", options.margin)
      ->envname("TRIODE_TUNER_MARGIN")
      ->check(CLI::Range(0.0, 1.0));
  serve->add_option("--model", options.model)->envname("TRIODE_TUNER_MODEL");
  serve->add_option("--metrics-file", options.metrics)->envname("TRIODE_TUNER_METRICS");
  add("worker", Command::kWorker);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  return options;
}

}  // namespace triode::tuner
