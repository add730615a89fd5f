// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/callgrind_costs.h"

namespace triode::bench {

// What preloading Triode costs a program that never multiplies: `python3 -c pass`.
struct PreloadStartup {
  std::string program;  // the interpreter that python3 in PATH is
  // From start to end, by round; and what its processors worked, user and system.
  std::vector<double> without_ms;
  std::vector<double> with_ms;  // of the same round
  std::vector<double> without_cpu_ms;
  std::vector<double> with_cpu_ms;
  // Instructions from start to end, by file, which no other work of the machine changes.
  ObjectCosts without_instructions;
  ObjectCosts with_instructions;
  std::string instructions_remark;  // why these are not known; empty if they are
  // Libraries that are in the process because of Triode: at its start, and after one small matmul.
  std::vector<std::string> loaded_at_start;
  std::vector<std::string> loaded_after_matmul;
  std::string loaded_remark;  // why these are not known; empty if they are
};

// Starts in one round, with and without. Whatever else the machine does makes a start slower and
// none faster, by more than what is looked for: so the fastest of some is taken. With fewer, the
// rounds differ more; with more, they take longer than a machine stays the same.
inline constexpr int kStartsPerRound = 24;

// Starts the program in turns with and without, in so many rounds, and once each under callgrind.
// `blas` is the file of a BLAS for the small matmul, `folder` for what Triode keeps. kNotFound if
// there is no python3.
Result<PreloadStartup> measure_preload_startup(const std::string& library, const std::string& blas,
                                               int rounds, const std::string& folder);

// Those of `loaded` that a program must not get before it has a matmul worth tuning: libtorch,
// RocksDB, libpython, TBB.
std::vector<std::string> heavy_libraries(const std::vector<std::string>& loaded);

// The files of shared libraries in the text of a /proc/PID/maps, each once, sorted.
std::vector<std::string> libraries_in(const std::string& maps);

}  // namespace triode::bench
