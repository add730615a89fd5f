// SPDX-License-Identifier: Apache-2.0
#include "core/measurement.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace triode {
namespace {

// Linear between the two nearest ranks, so that the median of an even count is the mean of the
// middle two. `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

// A median of zero with values off it (a clock too coarse for what it timed) is infinitely
// unsteady.
double spread_of_sorted(const std::vector<double>& sorted) {
  const double half_range = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2;
  return half_range == 0 ? 0 : half_range / std::abs(quantile(sorted, 0.5));
}

}  // namespace

Measurement summarize(std::span<const Sample> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted;
  sorted.reserve(samples.size());
  for (const Sample& sample : samples) sorted.push_back(sample.per_call.count());
  std::sort(sorted.begin(), sorted.end());
  return {.median_ns = quantile(sorted, 0.5),
          .min_ns = sorted.front(),
          .spread = spread_of_sorted(sorted),
          .count = static_cast<int32_t>(sorted.size())};
}

double median_of(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double spread_of(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  return spread_of_sorted(values);
}

}  // namespace triode
