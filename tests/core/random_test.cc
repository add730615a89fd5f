// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <gtest/gtest.h>

#include <array>

namespace triode {
namespace {

TEST(Random, DrawsWhatSplitMix64Draws) {
  // The reference implementation's first outputs for seed 1234567.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, SameSeedSameDraws) {
  Random one(7);
  Random other(7);
  EXPECT_EQ(one.next(), other.next());
  EXPECT_EQ(one.below(1000), other.below(1000));
}

TEST(Random, BelowStaysBelowAndReachesAll) {
  Random random(1);
  std::array<int, 5> counts{};
  for (int i = 0; i < 5000; ++i) ++counts.at(random.below(5));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, BelowOneIsZero) {
  Random random(1);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, UniformStaysInTheUnitInterval) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double draw = random.uniform();
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    sum += draw;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

}  // namespace
}  // namespace triode
