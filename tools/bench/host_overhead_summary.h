// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/host_overhead_results.h"
#include "tools/bench/median_interval.h"

namespace triode::bench {

// The contestant of that name; null if it was not timed.
const ContestantResult* find_contestant(const OverheadShape& shape, const std::string& name);

// A difference between two ways to do the same, over rounds in which both were timed; in the unit
// of the samples.
struct Difference {
  double median = 0;
  double spread = 0;  // half the distance between the quartiles, in the same unit
  double p99 = 0;     // what one round in a hundred exceeds
};

// `more` minus `less`, round by round. Equally long, not empty.
Difference difference(const std::vector<double>& more, const std::vector<double>& less);

// What one value in a hundred exceeds: the least value that at least 99 of 100 do not. Not empty.
double p99_of(std::vector<double> values);

// What a contestant adds to the direct call; empty if it was not timed.
std::optional<Difference> added(const OverheadShape& shape, const std::string& name);

// What hit_ours gains over the direct call, Triode's own cost deducted; empty if it was not timed.
std::optional<Difference> gain(const OverheadShape& shape);

// Figures over the shapes of one count of threads: medians, also of the spreads. Empty where
// nothing was measured.
struct ThreadOverhead {
  int threads = 1;
  std::optional<Difference> off_ns;
  std::optional<Difference> observe_ns;
  std::optional<Difference> hit_vendor_ns;
  std::optional<Difference> hit_ours_gain_ns;
  std::optional<double> hit_ours_speedup;  // over the direct call; geometric mean
  int disturbed_shapes = 0;
};

struct HostOverheadSummary {
  std::optional<ThreadOverhead> single;    // one thread
  std::optional<ThreadOverhead> pair;      // two
  std::optional<double> hit_instructions;  // from the entry point to the kernel, the usual hit
  std::optional<double> hit_added_instructions;  // by the whole call, mean over all hits
  std::optional<Difference> preload_startup_ms;
  std::optional<Difference> preload_startup_cpu_ms;
  std::optional<Interval> preload_startup_interval_ms;  // of the median, 95 %
  std::optional<double> preload_startup_instructions;
};

// Recomputed from the raw samples.
HostOverheadSummary summarize(const HostOverheadResults& results);

}  // namespace triode::bench
