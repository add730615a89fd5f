// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/target.h"
#include "runtime/search/config_search.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/shape_sets.h"

namespace triode::bench {

// Timings of one contestant. Series timed in turns have equal length, and the same position means
// the same round.
struct Series {
  std::string name;
  std::vector<double> per_call_ns;
  std::int64_t repeats = 1;  // back-to-back calls each timing is the mean of
};

// A peer that was not timed, and why.
struct LeftOut {
  std::string name;
  std::string reason;
};

// One shape on a number of threads: Triode's best config against the peers.
struct ShapeResult {
  Shape shape;
  int threads = 1;
  std::string config;
  bool config_was_saved = false;  // taken from a file, so `search` is empty
  std::int64_t workspace_bytes = 0;
  SearchStats search;
  Series triode;
  std::vector<Series> peers;
  std::vector<LeftOut> left_out;
  std::int64_t rejected_rounds = 0;
  bool is_undisturbed = true;  // false: rounds in which the thread lost its core had to count
  ProblemLimit limit;
};

// Triode's best configs for the ways to store one shape, timed in turns; named "nn", "nt", "tn",
// "tt".
struct TransposeResult {
  std::string label;
  int threads = 1;
  std::vector<Series> series;
};

// A shape that could not be measured.
struct FailedShape {
  Shape shape;
  int threads = 1;
  std::string reason;
};

struct PeerUsed {
  std::string name;
  std::string version;
  std::string path;
  std::string core;           // whose kernels it runs; empty if it does not tell
  std::string mistaken_core;  // what it took this processor for, if it had to be told `core`
};

// All a run of the benchmark found.
struct BenchResults {
  Target target;
  double clock_mhz_begin = 0;  // as the system reports it; 0 if it does not
  double clock_mhz_end = 0;
  std::uint64_t seed = 0;
  double budget_s = 0;
  bool exhaustive = false;
  std::vector<PeerUsed> peers;
  std::vector<LeftOut> missing_peers;
  std::vector<MachineLimits> limits;  // one per thread count
  std::vector<ShapeResult> shapes;
  std::vector<TransposeResult> transposes;
  std::vector<FailedShape> failed;
  std::vector<double> compile_us;  // time to compile one kernel
};

}  // namespace triode::bench
