// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/results.h"

namespace triode::bench {

// How many times faster, and how sure: the median and the spread over rounds.
struct Ratio {
  double median = 0;
  double spread = 0;  // half the interquartile range over the median
};

// Time of `slower` over time of `faster`, round by round. Both were timed in turns and are not
// empty.
Ratio speedup(const Series& faster, const Series& slower);

// The peer with the least median time; null if there is none.
const Series* best_peer(const ShapeResult& result);

double gflops(const ShapeResult& result, const Series& series);

// Held back by the multiply-add peak, and not so tiny that the cost of the call counts. On several
// threads, by what these reach together.
bool is_compute_bound(const Problem& problem, const ProblemLimit& limit);

// What tuning is worth: median time of the random configs over the time of the best one. Empty
// without random samples.
std::optional<double> best_over_median(const ShapeResult& result);

// The n-th root of the product. Empty for no values.
std::optional<double> geomean(std::span<const double> values);

// Figures over the shapes of one thread count. Empty where nothing was measured.
struct ThreadSummary {
  int threads = 1;
  int shapes = 0;
  int disturbed_shapes = 0;  // of those, timed while the thread kept losing its core: run again
  std::optional<double> geomean_vs_best;
  std::optional<double> geomean_vs_best_not_tiny;
  std::optional<double> geomean_vs_best_compute_bound;
  std::optional<double> min_vs_best_compute_bound;
  std::map<std::string, double> geomean_vs_peer;
  std::optional<double> median_spread;  // of the ratios to the best peer
};

struct TransposeSummary {
  std::optional<double> geomean_vs_nn;    // Triode's speed against its own on nn; 1 is as fast
  std::optional<double> median_spread;    // of the ratios to nn
  int shapes = 0;                         // compared with nn
  std::optional<double> geomean_vs_best;  // against the best peer on the same transposes
};

struct Summary {
  std::optional<ThreadSummary> single;    // one thread
  std::optional<ThreadSummary> threaded;  // more than one
  std::optional<double> jit_us_median;
  std::map<std::string, TransposeSummary>
      transposes;  // on the fewest threads; empty if not compared
};

// Recomputed from the raw samples. Where the ways to store a shape were compared, the figures per
// thread count are those of nn, so that they compare with a run of nn alone.
Summary summarize(const BenchResults& results);

}  // namespace triode::bench
