// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/target.h"
#include "tools/bench/results.h"

namespace triode::bench {

// What `triode bench tuner` measured. Times are of one call unless said otherwise.

// One shape in a program that began with the plans found before: the call as the program makes it
// and the call of the library itself, timed in turns.
struct PairedShape {
  std::string problem;
  bool is_ours = false;            // a kernel of Triode's answered
  bool is_undisturbed = true;      // else too few rounds were
  std::vector<double> vendor_ns;   // by round
  std::vector<double> program_ns;  // of the same round
};

// How much searching it took.
struct SearchEffort {
  std::uint64_t searches = 0;
  std::uint64_t trials = 0;
  std::uint64_t plans_found = 0;
  std::uint64_t vendor_stays = 0;
  std::uint64_t withdrawals = 0;
  double seconds = 0;       // from the first call until nothing was left to search for
  bool is_complete = true;  // else the time was up before
};

struct VendorPairs {
  PeerUsed vendor;
  SearchEffort effort;
  std::size_t plans = 0;  // that its shapes had when the timing began
  std::vector<PairedShape> shapes;
};

// One turn through all shapes while they are tuned: what the library itself takes for it, and what
// the program's calls take.
struct ConvergenceRound {
  double seconds = 0;  // since the program's first call
  double vendor_ns = 0;
  double program_ns = 0;
};

struct Convergence {
  std::size_t shapes = 0;
  SearchEffort effort;
  std::vector<ConvergenceRound> rounds;
};

// A stretch of time in which the tuner worked, or was held.
struct WindowFigures {
  bool is_tuning = false;
  double seconds = 0;
  double calls_per_s = 0;
  double p50_ns = 0, p99_ns = 0;
  double tuner_cores = 0;  // that tuner and worker used of the processor
};

// First calls of shapes that no process has made before.
struct FirstCalls {
  std::vector<double> library_ns;        // the library's own function
  std::vector<double> library_again_ns;  // and once more: what two equal calls differ by
  std::vector<double> first_ns;          // the program's call, the first of its shape
};

// One numpy program, from its start to its end, in turns with Triode and without.
struct ProgramRuns {
  std::string name;
  std::vector<double> without_s;
  std::vector<double> with_s;  // of the same round, with plans found before
  double matmul_share = 0;     // of its time without Triode
  double answered_share = 0;   // of its matmuls, by kernels of Triode's
  std::string remark;          // why there are no figures; empty if there are
};

struct TunerResults {
  Target target;
  double clock_mhz_begin = 0, clock_mhz_end = 0;
  std::uint64_t seed = 1;
  int rounds = 0;
  std::vector<VendorPairs> vendors;
  std::vector<std::string> left_out;       // libraries that are not here, and why
  std::vector<std::uint64_t> space_sizes;  // legal configs of the first shapes
  std::optional<Convergence> convergence;
  std::vector<WindowFigures> windows;
  std::optional<FirstCalls> first_calls;
  std::string python;  // program and numpy of the programs
  std::vector<ProgramRuns> programs;
};

}  // namespace triode::bench
