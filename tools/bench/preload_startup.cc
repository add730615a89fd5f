// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/preload_startup.h"

#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include "core/clock.h"
#include "tools/bench/child_process.h"
#include "tools/run/preload.h"

namespace triode::bench {
namespace {

constexpr const char* kPrintItself = "import sys; print(sys.executable)";
constexpr const char* kPrintMaps = "print(open('/proc/self/maps').read())";

// A product of 8x8x8 through the symbol that the loader finds first, Triode's where it is
// preloaded, with a BLAS behind it; then what is loaded.
constexpr const char* kMultiplyAndPrintMaps = R"(
import ctypes, sys
blas = ctypes.CDLL(sys.argv[1])
first = ctypes.CDLL(None)
gemm = first.cblas_sgemm if hasattr(first, "cblas_sgemm") else blas.cblas_sgemm
a, b, c = ((ctypes.c_float * 64)() for _ in range(3))
one, zero = ctypes.c_float(1), ctypes.c_float(0)
gemm(101, 111, 111, 8, 8, 8, one, a, 8, b, 8, zero, c, 8)
print(open('/proc/self/maps').read())
)";

constexpr const char* kHeavyNames[] = {"libtorch", "libc10", "librocksdb", "libpython", "libtbb"};

struct Environments {
  std::vector<std::string> without;
  std::vector<std::string> with;
};

Result<Environments> make_environments(const std::string& library, const std::string& folder) {
  const char* const current = std::getenv("LD_PRELOAD");
  const std::string list =
      TRIODE_TRY(run::preload_list(library, current == nullptr ? "" : current));
  // With a seed of its own each start of Python does other things.
  const run::Variable seed{"PYTHONHASHSEED", "0"};
  return Environments{environment_with({seed}),
                      environment_with({seed, {"LD_PRELOAD", list}, {"TRIODE_CACHE", folder}})};
}

// What a script finds in its process with Triode and does not find there without.
Result<std::vector<std::string>> loaded_by_triode(const std::vector<std::string>& command,
                                                  const Environments& environments) {
  const auto with = libraries_in(TRIODE_TRY(output_of(command, environments.with)));
  const auto without = libraries_in(TRIODE_TRY(output_of(command, environments.without)));
  std::vector<std::string> added;
  std::set_difference(with.begin(), with.end(), without.begin(), without.end(),
                      std::back_inserter(added));
  return added;
}

Status find_loaded(PreloadStartup& startup, const std::string& blas,
                   const Environments& environments) {
  const std::string& python = startup.program;
  startup.loaded_at_start = TRIODE_TRY(loaded_by_triode({python, "-c", kPrintMaps}, environments));
  startup.loaded_after_matmul =
      TRIODE_TRY(loaded_by_triode({python, "-c", kMultiplyAndPrintMaps, blas}, environments));
  return {};
}

Status count_instructions(PreloadStartup& startup, const Environments& environments,
                          const std::string& folder) {
  const std::vector<std::string> command = {startup.program, "-c", "pass"};
  startup.without_instructions =
      TRIODE_TRY(count_by_callgrind(command, environments.without, folder));
  startup.with_instructions = TRIODE_TRY(count_by_callgrind(command, environments.with, folder));
  return {};
}

struct StartTime {
  double wall_ms;
  double cpu_ms;
};

constexpr StartTime kSlowest{std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::max()};

// Of all children that were waited for.
double children_cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

StartTime time_start(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment) {
  const double cpu_before = children_cpu_ms();
  const std::chrono::nanoseconds begin = steady_clock().now();
  (void)output_of(command, environment);  // it was started in this way before, so it will be
  const std::chrono::duration<double, std::milli> wall = steady_clock().now() - begin;
  return {wall.count(), children_cpu_ms() - cpu_before};
}

StartTime fastest(const StartTime& one, const StartTime& other) {
  return {std::min(one.wall_ms, other.wall_ms), std::min(one.cpu_ms, other.cpu_ms)};
}

void time_round(PreloadStartup& startup, const Environments& environments) {
  const std::vector<std::string> command = {startup.program, "-c", "pass"};
  StartTime without = kSlowest, with = kSlowest;
  for (int start = 0; start < kStartsPerRound; ++start) {
    without = fastest(without, time_start(command, environments.without));
    with = fastest(with, time_start(command, environments.with));
  }
  startup.without_ms.push_back(without.wall_ms);
  startup.with_ms.push_back(with.wall_ms);
  startup.without_cpu_ms.push_back(without.cpu_ms);
  startup.with_cpu_ms.push_back(with.cpu_ms);
}

}  // namespace

std::vector<std::string> libraries_in(const std::string& maps) {
  std::set<std::string> paths;
  std::istringstream lines(maps);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.find(".so") != std::string::npos) paths.insert(path);
  }
  return {paths.begin(), paths.end()};
}

std::vector<std::string> heavy_libraries(const std::vector<std::string>& loaded) {
  std::vector<std::string> heavy;
  std::copy_if(loaded.begin(), loaded.end(), std::back_inserter(heavy),
               [](const std::string& path) {
                 const std::string name = path.substr(path.rfind('/') + 1);
                 return std::any_of(std::begin(kHeavyNames), std::end(kHeavyNames),
                                    [&name](const char* start) { return name.starts_with(start); });
               });
  return heavy;
}

Result<PreloadStartup> measure_preload_startup(const std::string& library, const std::string& blas,
                                               int rounds, const std::string& folder) {
  const Environments environments = TRIODE_TRY(make_environments(library, folder));
  PreloadStartup startup;
  // What is called python3 may be a script that looks for the right one, several programs in all.
  const std::string own_name =
      TRIODE_TRY(output_of({"python3", "-c", kPrintItself}, environments.without));
  startup.program = own_name.substr(0, own_name.find('\n'));
  TRIODE_TRY(output_of({startup.program, "-c", "pass"}, environments.with));
  const Status found = find_loaded(startup, blas, environments);
  if (!found.ok()) startup.loaded_remark = found.message();
  for (int round = 0; round < rounds; ++round) time_round(startup, environments);
  const Status counted = count_instructions(startup, environments, folder);
  if (!counted.ok()) startup.instructions_remark = counted.message();
  return startup;
}

}  // namespace triode::bench
