// SPDX-License-Identifier: Apache-2.0
#include "learner/train/regret.h"

#include <algorithm>
#include <cmath>

namespace triode::train {
namespace {

// Linear between neighbours, as numpy does it.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double regret_of(std::span<const double> times, std::span<const size_t> order, size_t k) {
  double best = std::numeric_limits<double>::infinity();
  for (const double time : times) best = time < best ? time : best;
  double chosen = std::numeric_limits<double>::infinity();
  for (const size_t place : order.first(std::min(k, order.size()))) {
    chosen = times[place] < chosen ? times[place] : chosen;
  }
  return chosen / best;
}

RegretSummary summarize_regret(std::vector<double> regrets) {
  RegretSummary summary;
  summary.n = regrets.size();
  if (regrets.empty()) return summary;
  double sum = 0;
  for (double& regret : regrets) {
    regret = std::min(regret, kWorstRegret);
    sum += std::log(regret);
  }
  std::sort(regrets.begin(), regrets.end());
  summary.geomean = std::exp(sum / static_cast<double>(regrets.size()));
  summary.p90 = quantile(regrets, 0.90);
  summary.p99 = quantile(regrets, 0.99);
  summary.worst = regrets.back();
  return summary;
}

}  // namespace triode::train
