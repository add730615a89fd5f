// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tools/bench/tuner_results.h"

namespace triode::bench {

// Quotients of the rounds; equally long.
std::vector<double> ratios(std::span<const double> over, std::span<const double> under);

// One call of a program: when it began and how long it took, by the steady clock.
struct TimedCall {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
};

// A stretch of time, by the same clock.
struct Window {
  std::int64_t begin_ns = 0, end_ns = 0;
  bool is_tuning = false;
  double tuner_cpu_s = 0;
};

// What the calls that lie wholly in the window show. `calls` are in order of time. Empty if fewer
// than kLeastCalls do: their 99th percentile would say nothing.
inline constexpr std::size_t kLeastCalls = 100;
std::optional<WindowFigures> figures_of(const Window& window, std::span<const TimedCall> calls);

// Each window in which the tuner worked over the mean of the windows beside it in which it was
// held: calls per second, and 99th percentiles.
struct Interference {
  std::vector<double> throughput, p99;
};
Interference interference_of(std::span<const WindowFigures> windows);

// Speed-up of a turn over the library, by round, each the median of those within kSmoothedS
// seconds: a turn takes milliseconds, and what disturbs it may last longer.
inline constexpr double kSmoothedS = 1;
std::vector<double> smoothed_speedups(std::span<const ConvergenceRound> rounds);

// Speed-up at the end: median of the last tenth of the rounds, of five at least.
double final_speedup(std::span<const ConvergenceRound> rounds);

// When the speed-up had first come so far of the way from 1 to the final one. Empty if the end is
// no faster than the library. Not empty rounds.
std::optional<double> seconds_to_share(std::span<const ConvergenceRound> rounds, double share);

}  // namespace triode::bench
