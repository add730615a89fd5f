// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/publish_rule.h"

#include <gtest/gtest.h>

namespace triode::tuner {
namespace {

// Of a call so long that an interception does not show.
PairMeasurement pair_of(double speedup, double spread, int rounds) {
  PairMeasurement pair;
  pair.candidate.median_ns = 1e9;
  pair.speedup = speedup;
  pair.speedup_spread = spread;
  pair.candidate.count = pair.vendor.count = rounds;
  return pair;
}

TEST(PublishRule, WantsMoreThanTheMargin) {
  EXPECT_FALSE(beats_vendor(pair_of(1.015, 0.0001, 100), {}));
  EXPECT_TRUE(beats_vendor(pair_of(1.03, 0.0001, 100), {}));
}

TEST(PublishRule, NoiseCountsAgainstIt) {
  EXPECT_TRUE(beats_vendor(pair_of(1.05, 0.02, 100), {}));
  EXPECT_FALSE(beats_vendor(pair_of(1.05, 0.10, 100), {}));
}

TEST(PublishRule, RoundsMakeUpForNoise) {
  EXPECT_FALSE(beats_vendor(pair_of(1.05, 0.04, 16), {}));
  EXPECT_TRUE(beats_vendor(pair_of(1.05, 0.04, 200), {}));
}

TEST(PublishRule, FewRoundsAreNone) {
  EXPECT_FALSE(beats_vendor(pair_of(9, 0, 14), {}));
  EXPECT_EQ(speedup_at_least(pair_of(9, 0, 0), {}), 0);
}

TEST(PublishRule, WantsAGainThatAnInterceptionDoesNotHide) {
  PairMeasurement pair = pair_of(1.05, 0.0001, 100);
  pair.candidate.median_ns = 100;
  EXPECT_TRUE(beats_vendor(pair, {})) << "5 of 117 ns";
  pair.candidate.median_ns = 10;
  EXPECT_FALSE(beats_vendor(pair, {})) << "0.5 of 27 ns";
  EXPECT_NEAR(speedup_at_least(pair, {}), (10.5 + 17) / (10 + 17), 1e-3);
}

TEST(PublishRule, ATimeOfNothingIsNoTime) {
  PairMeasurement pair = pair_of(2, 0, 100);
  pair.candidate.median_ns = 0;
  EXPECT_FALSE(beats_vendor(pair, {}));
}

TEST(PublishRule, DeductsWhatItSays) {
  // 2.33 * 1.2533 / 0.6745 * 0.05 / sqrt(100) = 0.02165
  EXPECT_NEAR(speedup_at_least(pair_of(2, 0.05, 100), {}), 2 / 1.02165, 1e-4);
}

}  // namespace
}  // namespace triode::tuner
