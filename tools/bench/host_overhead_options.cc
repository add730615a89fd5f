// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_options.h"

#include <CLI/CLI.hpp>

#include "tools/bench/command_line.h"
namespace triode::bench {
namespace {

void declare(CLI::App& app, HostOverheadOptions& options, std::string& threads) {
  declare_standard(app, options);
  app.add_option("--seed", options.seed);
  app.add_option("--threads", threads)->check(CLI::IsMember({"1", "2", "both"}));
  app.add_option("--rounds", options.rounds)->check(CLI::Range(3, 100'000));
  app.add_option("--budget", options.budget_s)->check(CLI::Range(0.01, 3600.0));
  app.add_option("--counted-calls", options.counted_calls)->check(CLI::Range(0, 100'000));
  app.add_option("--start-rounds", options.start_rounds)->check(CLI::Range(0, 10'000));
  app.add_option("--library", options.library);
}

}  // namespace

Result<HostOverheadOptions> parse_host_overhead_options(const std::vector<std::string>& arguments) {
  HostOverheadOptions options;
  std::string threads = "1";
  CLI::App app;
  declare(app, options, threads);
  TRIODE_TRY(parse(app, arguments));
  if (threads == "2") options.threads = {2};
  if (threads == "both") options.threads = {1, 2};
  return options;
}

}  // namespace triode::bench
