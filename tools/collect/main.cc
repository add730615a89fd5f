// SPDX-License-Identifier: Apache-2.0
// The program behind `triode collect`.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "cache/cache_path.h"
#include "runtime/device/cpu_device.h"
#include "runtime/device/parallel_library.h"
#include "runtime/device/usable_cores.h"
#include "tools/bench/peers.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help_and_version.h"
#include "tools/collect/collect_options.h"
#include "tools/collect/collected_problems.h"
#include "tools/collect/collected_trials.h"
#include "tools/collect/collector.h"
#include "tools/toolkit/hand_over.h"
#include "tools/train/progress_line.h"

namespace triode::collect {
namespace {

constexpr std::string_view kCommand = "collect";

void report(const CollectOptions& options, const std::string& cache, const Target& target,
            const CollectCounts& counts) {
  if (options.json) {
    const nlohmann::json json = {{"cache", cache},         {"device", target.device},
                                 {"isa", target.isa},      {"problems", counts.problems},
                                 {"known", counts.known},  {"measured", counts.measured},
                                 {"failed", counts.failed}};
    std::cout << json.dump() << "\n";
  } else {
    std::cout << cache << ": " << counts.measured << " trials of " << counts.problems
              << " problems measured, " << counts.failed << " of them failed; " << counts.known
              << " were known\n";
  }
}

Status collect(const CollectOptions& options) {
  const std::string folder =
      options.cache.empty() ? TRIODE_TRY(cache_path_from_environment()) : options.cache;
  if (!options.export_file.empty()) return export_collected(folder, options.export_file);
  const std::vector<Problem> problems = TRIODE_TRY(collected_problems(options));
  // Workers that spin after a call of the vendor would take the cores from the config timed next.
  setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0);
  const auto vendor = TRIODE_TRY(bench::load_peer(options.vendor, options.venv));
  CpuDeviceOptions device_options;
  device_options.isas = options.isas;
  const auto device = TRIODE_TRY(CpuDevice::create(std::move(device_options)));
  // Without it every threaded config would be kept as one that does not compile.
  if (std::ranges::max(options.threads) > 1) TRIODE_TRY(parallel_library());
  const auto cache = TRIODE_TRY(Cache::open(folder, {}));
  Collector collector(*device, cache->measurements(), options);
  train_tool::ProgressLine line = train_tool::progress_on_stderr(options.quiet);
  for (const Problem& problem : problems) {
    if (!vendor->supports(problem)) continue;
    vendor->set_threads(problem.threads);
    TRIODE_TRY(collector.collect(
        problem, [&](const Operands& operands) { vendor->bind(problem, operands)(); }));
    line.show(
        static_cast<double>(collector.counts().problems) / static_cast<double>(problems.size()),
        std::to_string(collector.counts().problems) + " of " + std::to_string(problems.size()) +
            " problems");
  }
  line.finish();
  report(options, folder, device->target(), collector.counts());
  return {};
}

// Of diode's toolkit: shapes drawn in its ways, files of its formats, gpus.
constexpr std::array<std::string_view, 20> kToolkitOptions = {"--output",
                                                              "--num-shapes",
                                                              "--min-size",
                                                              "--max-size",
                                                              "--power-of-two",
                                                              "--log-normal",
                                                              "--no-rectangular",
                                                              "--no-odd-sizes",
                                                              "--search-mode",
                                                              "--search-space",
                                                              "--chunk-size",
                                                              "--format",
                                                              "--log-normal-m-mean",
                                                              "--log-normal-m-std",
                                                              "--log-normal-n-mean",
                                                              "--log-normal-n-std",
                                                              "--log-normal-k-mean",
                                                              "--log-normal-k-std",
                                                              "--operations",
                                                              "--dtypes"};

bool is_for_toolkit(const std::vector<std::string>& arguments) {
  if (toolkit::has_option(arguments, kToolkitOptions)) return true;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--device" && arguments[i + 1] != "cpu") return true;
  }
  return false;
}

int run(const std::vector<std::string>& arguments) {
  if (is_for_toolkit(arguments)) {
    return cli::complain(kCommand, toolkit::become_toolkit("collect", arguments), cli::kFailed);
  }
  const auto options = parse_collect_options(arguments, usable_cores());
  if (!options.ok()) return cli::complain(kCommand, options.status(), cli::kWrongUsage);
  if (options->help) {
    std::cout << help_text();
    return cli::kDone;
  }
  if (options->version) {
    cli::print_version("triode-collect", options->json, std::cout);
    return cli::kDone;
  }
  const Status status = collect(*options);
  return status.ok() ? cli::kDone : cli::complain(kCommand, status, cli::kFailed);
}

}  // namespace
}  // namespace triode::collect

int main(int argc, char** argv) {
  const int code = triode::collect::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  return triode::cli::exit_code_after_output(code, std::cout);
}
