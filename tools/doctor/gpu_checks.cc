// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_checks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/dtype.h"
#include "runtime/device/cuda_compiler.h"
#include "runtime/device/gpu_self_test.h"
#include "tools/doctor/gpu_findings.h"
#include "tools/doctor/gpu_test_process.h"

namespace triode::doctor_tool {
namespace {

constexpr int kMostWorkers = 8;  // Python processes, of some 300 MB each

Result<std::vector<DType>> parse_types(const std::string& text) {
  std::vector<DType> types;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    types.push_back(TRIODE_TRY(parse_dtype(text.substr(at, end - at))));
    at = end + 1;
  }
  return types;
}

Result<SelfTestOptions> self_test_options(const cache_tool::Arguments& arguments) {
  SelfTestOptions options;
  options.compilers = find_cuda_compilers();
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  options.compilers.workers = std::clamp(cores - 1, 1, kMostWorkers);
  if (const auto types = arguments.value("--types")) {
    options.types = TRIODE_TRY(parse_types(*types));
  }
  options.configs =
      static_cast<int>(TRIODE_TRY(arguments.number_or("--configs", options.configs, 1, 1000)));
  options.timed_size =
      static_cast<int>(TRIODE_TRY(arguments.number_or("--size", options.timed_size, 0, 1 << 15)));
  return options;
}

// On a terminal one line that is written over, else a line each.
void show_progress(size_t index, size_t count, const std::string& what) {
  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  std::cerr << (is_terminal ? "\r\033[K" : "") << "gpu " << index + 1 << "/" << count << " " << what
            << (is_terminal ? "" : "\n") << std::flush;
}
void end_progress() {
  if (::isatty(STDERR_FILENO) != 0) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace

Result<GpuExamination> examine_gpu(const cache_tool::Arguments& arguments, bool is_quiet) {
  const SelfTestOptions options = TRIODE_TRY(self_test_options(arguments));
  GpuTestLimits limits;
  limits.patience = std::chrono::seconds(
      TRIODE_TRY(arguments.number_or("--patience", limits.patience.count(), 1, 86400)));
  GpuTestProgress progress;
  if (!is_quiet) progress = show_progress;
  const std::vector<SelfTestStep> steps = test_gpu_apart(options, limits, progress);
  if (!is_quiet) end_progress();
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const SelfTestStep& step : steps) {
    report.push_back({{"kind", step.kind},
                      {"name", step.name},
                      {"result", to_string(step.result)},
                      {"text", step.text},
                      {"seconds", step.seconds}});
  }
  return GpuExamination{
      gpu_findings(steps),
      report.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)};
}

}  // namespace triode::doctor_tool
