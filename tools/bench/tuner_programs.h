// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/tuner_options.h"
#include "tools/bench/tuner_results.h"

namespace triode::bench {

// Whole numpy programs with Triode and without: tuner_programs.py.
struct ProgramsMeasured {
  std::string python;  // program and version of numpy
  std::vector<ProgramRuns> programs;
};

// Lets the tuner of a cache of its own, below `folder`, work for each program until it has nothing
// left to do; then runs the program from start to end in turns, without and with Triode. Python is
// the environment's if it has numpy, else the system's; kNotFound if neither has.
Result<ProgramsMeasured> measure_programs(const TunerBenchOptions& options,
                                          const std::string& folder,
                                          const std::function<void(const std::string&)>& progress);

// What a report of `triode run --json` says, or several of them, one a line: matmul time in
// seconds, and the share of calls that Triode answered. kCorrupt if there is none.
struct ReportedMatmuls {
  double seconds = 0;
  double answered_share = 0;
};
Result<ReportedMatmuls> read_matmul_report(const std::string& text);

}  // namespace triode::bench
