// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collect_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "collect_help.h"

namespace triode::collect {
namespace {

// As they stand on the command line.
struct RawOptions {
  std::string device = "cpu";
  std::string isa = "all";
  std::vector<std::string> dtypes = {"f32", "f64"};
  std::vector<std::string> threads = {"1", "all"};
  double trial_ms = 20;
};

void declare(CLI::App& app, CollectOptions& options, RawOptions& raw) {
  app.set_help_flag();  // the help text is docs/cli/collect.md
  app.add_flag("--help,-h", options.help);
  app.add_flag("--version", options.version);
  app.add_flag("--json", options.json);
  app.add_flag("--quiet", options.quiet);
  app.add_option("--device", raw.device)->check(CLI::IsMember({"cpu"}));
  app.add_option("--cache", options.cache);
  app.add_option("--set", options.set);
  app.add_option("--shapes", options.shapes);
  app.add_option("--random", options.random)->check(CLI::Range(0, 100'000));
  app.add_option("--most-flops", options.most_flops)->check(CLI::PositiveNumber);
  app.add_option("--dtype", raw.dtypes)->delimiter(',');
  app.add_option("--threads", raw.threads)->delimiter(',');
  app.add_option("--isa", raw.isa);
  app.add_option("--configs", options.configs)->check(CLI::Range(1, 100'000));
  app.add_option("--trial-ms", raw.trial_ms)->check(CLI::Range(0.1, 20.0));
  app.add_option("--vendor", options.vendor);
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  app.add_option("--seed", options.seed);
  app.add_option("--export", options.export_file);
}

Result<int32_t> parse_threads(const std::string& text, int32_t cores) {
  if (text == "all") return cores;
  int32_t threads = 0;
  if (!CLI::detail::lexical_cast(text, threads) || threads < 1 || threads > cores) {
    return invalid_argument("--threads: '" + text + "' is neither all nor from 1 to " +
                            std::to_string(cores));
  }
  return threads;
}

Status read_raw(const RawOptions& raw, int32_t cores, CollectOptions& options) {
  for (const std::string& text : raw.threads) {
    const int32_t threads = TRIODE_TRY(parse_threads(text, cores));
    if (std::ranges::find(options.threads, threads) == options.threads.end()) {
      options.threads.push_back(threads);
    }
  }
  for (const std::string& text : raw.dtypes) {
    const DType dtype = TRIODE_TRY(parse_dtype(text));
    if (dtype != DType::kF32 && dtype != DType::kF64) {
      return invalid_argument("--dtype: '" + text + "' is neither f32 nor f64");
    }
    options.dtypes.push_back(dtype);
  }
  if (raw.isa != "all") options.isas.push_back(TRIODE_TRY(x86::parse_isa(raw.isa)));
  options.trial = std::chrono::nanoseconds(static_cast<int64_t>(raw.trial_ms * 1e6));
  if (options.venv.empty()) options.venv = TRIODE_DEFAULT_VENV;
  return {};
}

}  // namespace

std::string_view help_text() {
  return help::kCollectHelp;
}

Result<CollectOptions> parse_collect_options(const std::vector<std::string>& arguments,
                                             int32_t cores) {
  CollectOptions options;
  RawOptions raw;
  CLI::App app;
  declare(app, options, raw);
  try {
    // It pops from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return invalid_argument(error.what());
  }
  if (options.help || options.version) return options;
  TRIODE_TRY(read_raw(raw, cores, options));
  if (options.set.empty() && options.shapes.empty() && options.random == 0) options.set = "all";
  return options;
}

}  // namespace triode::collect
