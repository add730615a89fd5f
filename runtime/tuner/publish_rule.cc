// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/publish_rule.h"

#include <cmath>

namespace triode::tuner {
namespace {

// Of a normal distribution: the median of n values scatters by 1.2533 / sqrt(n) of their standard
// deviation, and half the distance of the quartiles is 0.6745 of it.
constexpr double kErrorPerSpread = 1.2533 / 0.6745;

}  // namespace

double speedup_at_least(const PairMeasurement& pair, const PublishRule& rule) {
  if (pair.candidate.count <= 0 || pair.candidate.median_ns <= 0) return 0;
  const double error =
      kErrorPerSpread * pair.speedup_spread / std::sqrt(static_cast<double>(pair.candidate.count));
  // Divided, not subtracted: a ratio scatters by factors.
  const double sure = pair.speedup / (1 + rule.errors_deducted * error);
  const double plan_ns = pair.candidate.median_ns;
  return (sure * plan_ns + rule.interception_ns) / (plan_ns + rule.interception_ns);
}

bool beats_vendor(const PairMeasurement& pair, const PublishRule& rule) {
  return pair.candidate.count >= rule.least_rounds &&
         speedup_at_least(pair, rule) > 1 + rule.margin;
}

}  // namespace triode::tuner
