// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace triode::train {

// Marks a config that did not run; no time of a measurement.
inline constexpr double kFailed = std::numeric_limits<double>::quiet_NaN();

// Time of the best of the first `k` of `order` over the time of the best of all: 1 is a perfect
// choice. Failed configs (NaN) in `times` are passed over but use up their place. Infinity if none
// of the k ran. `order` holds positions in `times`, best guess first.
double regret_of(std::span<const double> times, std::span<const size_t> order, size_t k);

// What a user loses over many problems by the choices that were made.
struct RegretSummary {
  double geomean = 1;
  double p90 = 1;
  double p99 = 1;
  double worst = 1;
  size_t n = 0;
};

// No regrets give n = 0. A regret above kWorstRegret counts as that, so that a single choice where
// nothing ran does not hide the rest.
inline constexpr double kWorstRegret = 100;
RegretSummary summarize_regret(std::vector<double> regrets);

}  // namespace triode::train
