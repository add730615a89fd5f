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
  // What Triode's part of a call takes in a program, whoever answers it: `triode bench
  // host-overhead` says 17.0 +- 0.9 ns for a plan and 17.5 +- 0.8 for the library (Zen 4). A race
  // sees neither. Higher passes over plans of calls that take less than a microsecond; lower
  // publishes some whose gain nobody can see.
  double interception_ns = 17;
  // A gain this large is raced once more before it is believed.
  double suspicious_speedup = 8;
};

// Lower end of the confidence interval of the speedup of a program's calls: the median, less
// `errors_deducted` standard errors of a median of so many rounds with such a spread, and with the
// interception added to both sides. To both, since a plan that is not published leaves the program
// with the library behind the same interception: to charge the plan alone would keep the slower of
// the two.
double speedup_at_least(const PairMeasurement& pair, const PublishRule& rule);

// Enough rounds, and the lower end beyond the margin.
bool beats_vendor(const PairMeasurement& pair, const PublishRule& rule);

}  // namespace triode::tuner
