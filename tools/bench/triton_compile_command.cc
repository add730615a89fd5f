// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/triton_compile_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/measurement.h"
#include "runtime/device/cpu_device.h"
#include "tools/bench/command_line.h"
#include "tools/bench/device_json.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/scratch_folder.h"
#include "tools/bench/triton_compile_runs.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLoadRounds = 20;

struct Options : StandardOptions {
  uint64_t seed = 1;
  int configs = 24;
  int workers = 2;
  int rounds = 3;
  std::string venv = TRIODE_DEFAULT_VENV;
  std::string worker = TRIODE_TRITON_WORKER;
};

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--seed", options.seed);
  app.add_option("--configs", options.configs)->check(CLI::Range(1, 10'000));
  app.add_option("--workers", options.workers)->check(CLI::Range(1, 64));
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 100));
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  app.add_option("--worker", options.worker);
  TRIODE_TRY(parse(app, arguments));
  return options;
}

// A figure of several passes.
Json figure_json(const std::vector<double>& samples) {
  return {{"median", median_of(samples)}, {"spread", spread_of(samples)}, {"samples", samples}};
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

// Passes in turns, so that a machine that slows down slows both.
Result<Json> measure(const Options& options, std::ostream& err) {
  const std::unique_ptr<CpuDevice> device = TRIODE_TRY(CpuDevice::create());
  const ScratchFolder scratch = TRIODE_TRY(ScratchFolder::make());
  const TritonWorkload workload = TRIODE_TRY(drawn_workload(options.configs, options.seed));
  const cuda::TritonTools tools = {options.venv + "/bin/python", options.worker};
  const double mhz_begin = reported_clock_mhz();
  std::vector<double> per_minute, serial_per_minute, ratios;
  CompilePass pass;
  for (int round = 0; round < options.rounds; ++round) {
    if (!options.quiet) err << "round " << round + 1 << " of " << options.rounds << std::endl;
    const CompilePass serial = TRIODE_TRY(compile_workload(workload, tools, 1));
    pass = TRIODE_TRY(compile_workload(workload, tools, options.workers));
    per_minute.push_back(60 * options.configs / pass.seconds);
    serial_per_minute.push_back(60 * options.configs / serial.seconds);
    ratios.push_back(serial.seconds / pass.seconds);
  }
  const std::vector<double> loads =
      TRIODE_TRY(load_from_cache(workload, pass, scratch.file("cache"), kLoadRounds));
  size_t bytes = 0;
  for (const cuda::TritonKernel& kernel : pass.kernels) bytes += cuda::serialise(kernel).size();
  Json document = {{"benchmark", "triton-compile"},
                   {"device", device_json(device->target(), mhz_begin, reported_clock_mhz())},
                   {"toolchain", pass.toolchain},
                   {"arch", workload.arch},
                   {"problem", to_string(workload.problem)},
                   {"configs", options.configs},
                   {"workers", options.workers},
                   {"seed", options.seed},
                   {"kernel_bytes", bytes / pass.kernels.size()}};
  document["figures"] = {{"configs_per_minute", figure_json(per_minute)},
                         {"serial_configs_per_minute", figure_json(serial_per_minute)},
                         {"vs_serial", figure_json(ratios)},
                         {"warm_load_ms", figure_json(loads)}};
  Json summary;
  for (const auto& [name, figure] : document["figures"].items()) {
    summary[name] = figure["median"];
    summary[name + "_spread"] = figure["spread"];
  }
  summary["warm_load_p99_ms"] = percentile(loads, 0.99);
  document["summary"] = summary;
  return document;
}

void print_table(const Json& document, std::ostream& out) {
  const Json& summary = document["summary"];
  const auto print = [&](const char* name, const char* what) {
    char line[160];
    (void)std::snprintf(line, sizeof line, "%10.3f ±%5.1f %%  %s\n", summary[name].get<double>(),
                        100 * summary[std::string(name) + "_spread"].get<double>(), what);
    out << line;
  };
  out << document["configs"] << " configs of " << document["problem"].get<std::string>() << ", "
      << document["workers"] << " workers, " << document["toolchain"].get<std::string>() << "\n";
  print("configs_per_minute", "configs compiled per minute");
  print("serial_configs_per_minute", "the same by one worker");
  print("vs_serial", "times as many");
  print("warm_load_ms", "ms to take a compiled kernel out of the cache");
}

}  // namespace

int run_triton_compile(const std::vector<std::string>& arguments, std::ostream& out,
                       std::ostream& err) {
  const Result<Options> options = parse_options(arguments);
  if (const auto answered = answer_without_measuring(options, out, err)) return *answered;
  return print_measured(measure(*options, err), *options, print_table, out, err);
}

}  // namespace triode::bench
