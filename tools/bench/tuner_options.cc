// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_options.h"

#include <CLI/CLI.hpp>

#include "tools/bench/command_line.h"

#ifndef TRIODE_DEFAULT_VENV
#define TRIODE_DEFAULT_VENV ""
#endif

namespace triode::bench {
namespace {

// A try that everything works; its figures mean little.
void make_quick(TunerBenchOptions& options, const CLI::App& app) {
  if (app.count("--shapes") == 0) options.shapes = 6;
  if (app.count("--rounds") == 0) options.rounds = 15;
  options.convergence_shapes = 3;
  options.unseen_shapes = 8;
  options.first_calls = 100;
  options.windows = 5;
  options.window_s = 0.3;
  options.program_rounds = 1;
  options.program_s = 0.2;
}

void declare(CLI::App& app, TunerBenchOptions& options, std::vector<std::string>& parts) {
  declare_standard(app, options);
  app.add_flag("--quick");
  app.add_option("--seed", options.seed);
  app.add_option("--shapes", options.shapes)->check(CLI::Range(1, 10'000));
  app.add_option("--rounds", options.rounds)->check(CLI::Range(6, 100'000));
  app.add_option("--parts", parts)->delimiter(',')->check(CLI::IsMember(options.parts));
  app.add_option("--vendors", options.vendors)
      ->delimiter(',')
      ->check(CLI::IsMember({"openblas", "openblas-new"}));
  app.add_option("--cache", options.cache);
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
}

}  // namespace

Result<TunerBenchOptions> parse_tuner_options(const std::vector<std::string>& arguments) {
  TunerBenchOptions options;
  std::vector<std::string> parts;
  CLI::App app;
  declare(app, options, parts);
  TRIODE_TRY(parse(app, arguments));
  if (!parts.empty()) options.parts = {parts.begin(), parts.end()};
  if (options.venv.empty()) options.venv = TRIODE_DEFAULT_VENV;
  if (app.count("--quick") > 0) make_quick(options, app);
  return options;
}

}  // namespace triode::bench
