// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/median_interval.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace triode::bench {
namespace {

// Of either side: together the 5 % that the interval may miss.
constexpr double kTail = 0.025;

// Chance that of `count` values exactly `below` lie below the median.
double chance_below(std::size_t below, std::size_t count) {
  const auto n = static_cast<double>(count), k = static_cast<double>(below);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                  n * std::log(2.0));
}

// The greatest rank, from 1, that the true median exceeds in all but one of 40 draws; 0 if none
// does.
std::size_t low_rank_of(std::size_t count) {
  double chance = 0;
  for (std::size_t rank = 0; rank < count / 2; ++rank) {
    chance += chance_below(rank, count);
    if (chance > kTail) return rank;
  }
  return 0;
}

}  // namespace

Interval median_interval(std::vector<double> values) {
  assert(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t rank = low_rank_of(values.size());
  const std::size_t low = rank == 0 ? 0 : rank - 1;
  return {values[low], values[values.size() - 1 - low]};
}

}  // namespace triode::bench
