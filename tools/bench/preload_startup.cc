// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/preload_startup.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "runtime/device/interleaved_timer.h"
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
  return Environments{environment_with({}),
                      environment_with({{"LD_PRELOAD", list}, {"TRIODE_CACHE", folder}})};
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

void time_starts(PreloadStartup& startup, int starts, const Environments& environments) {
  const std::vector<std::string> command = {startup.program, "-c", "pass"};
  const auto start_with = [&command](const std::vector<std::string>& environment) {
    // It was started in this way before, so it will be.
    return [&command, &environment] { (void)output_of(command, environment); };
  };
  const std::vector<std::function<void()>> contenders = {start_with(environments.without),
                                                         start_with(environments.with)};
  InterleavedOptions options;
  options.budget = std::chrono::minutes(5);  // the rounds decide; this stops a machine that hangs
  options.min_sample = std::chrono::nanoseconds(1);  // one start is a sample
  options.target_spread = 1;                         // any
  options.min_rounds = starts;
  options.max_rounds = 2 * starts;
  const InterleavedTimes times = time_interleaved(contenders, options);
  startup.rejected_rounds = times.rejected;
  for (const auto& round : times.rounds_ns) {
    startup.without_ms.push_back(round[0] / 1e6);
    startup.with_ms.push_back(round[1] / 1e6);
  }
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
                                               int starts, const std::string& folder) {
  const Environments environments = TRIODE_TRY(make_environments(library, folder));
  PreloadStartup startup;
  // What is called python3 may be a script that looks for the right one, several programs in all.
  const std::string own_name =
      TRIODE_TRY(output_of({"python3", "-c", kPrintItself}, environments.without));
  startup.program = own_name.substr(0, own_name.find('\n'));
  TRIODE_TRY(output_of({startup.program, "-c", "pass"}, environments.with));
  const Status found = find_loaded(startup, blas, environments);
  if (!found.ok()) startup.loaded_remark = found.message();
  time_starts(startup, starts, environments);
  return startup;
}

}  // namespace triode::bench
