// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/measurement.h"

namespace triode::tuner {

// When a plan may replace the vendor.
struct PublishRule {
  // Least gain over the vendor. Raising it drops plans that gain little; lowering it publishes some
  // whose gain is what differs between a timing loop and a program.
  double margin = 0.02;
  // Standard errors of the median that are deducted: 2.33 leaves one chance in a hundred, in one
  // race, that the true gain is below the margin. Two races must agree.
  double errors_deducted = 2.33;
  int least_rounds = 15;  // below, a spread says little
  // A gain this large is raced once more before it is believed.
  double suspicious_speedup = 8;
};

// Lower end of the confidence interval of the speedup: the median, less `errors_deducted` standard
// errors of a median of so many rounds with such a spread.
double speedup_at_least(const PairMeasurement& pair, const PublishRule& rule);

// Enough rounds, and the lower end beyond the margin.
bool beats_vendor(const PairMeasurement& pair, const PublishRule& rule);

}  // namespace triode::tuner
