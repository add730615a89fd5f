// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/median_interval.h"
#include "tools/bench/tuner_results.h"

namespace triode::bench {

// A median over pairs, and the 95 % confidence interval of it.
struct SureRatio {
  double median = 0;
  Interval interval;
};

// How much more time than the library a program's call takes at most, to count as no slower.
inline constexpr double kSlowerMargin = 1.02;

struct PairSummary {
  SureRatio speedup;       // of the program's calls over the library's
  bool is_slower = false;  // the interval of its time over the library's lies above kSlowerMargin
};

PairSummary summarize(const PairedShape& shape);

struct VendorSummary {
  std::string name;
  std::optional<double> speedup_geomean;
  std::optional<double> share_slower;
  double share_planned = 0;  // of the shapes, answered by Triode
  int disturbed = 0;         // shapes
};

struct ProgramSummary {
  std::string name;
  SureRatio speedup;
  double matmul_share = 0;
};

// Empty where nothing was measured.
struct TunerSummary {
  std::optional<double> speedup_geomean;    // over the first library
  std::optional<double> share_slower_2pct;  // of all shapes and libraries
  std::vector<VendorSummary> vendors;
  std::optional<SureRatio> throughput_while_tuning;
  std::optional<SureRatio> p99_while_tuning;
  std::optional<double> tuner_cores;  // that it used meanwhile
  std::optional<double> first_call_added_us_p99;
  std::optional<double> first_call_added_us_median;
  std::optional<double> first_call_noise_us_p99;  // of the library's second call over its first
  std::optional<double> seconds_to_90pct;
  std::optional<double> final_speedup;
  std::optional<double> trials_per_problem;
  std::optional<double> exhaustive_per_problem;  // median over the shapes
  std::vector<ProgramSummary> programs;
};

// Recomputed from the raw samples.
TunerSummary summarize(const TunerResults& results);

}  // namespace triode::bench
