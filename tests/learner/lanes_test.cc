// SPDX-License-Identifier: Apache-2.0
#include "learner/model/lanes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace triode {
namespace {

TEST(Lanes, Log2IsNearTheLibrarysOverTheWholeRange) {
  for (double x = 1e-11; x < 1e30; x *= 1.0137) {
    const auto rounded = static_cast<float>(x);
    const double expected = std::log2(static_cast<double>(rounded));
    EXPECT_NEAR(log2_of(broadcast(x))[2], expected, 4e-7 + 1.2e-7 * std::abs(expected)) << x;
  }
}

TEST(Lanes, Log2OfPowersOfTwoIsExact) {
  for (int power = -30; power < 60; ++power) {
    EXPECT_EQ(log2_of(broadcast(std::ldexp(1.0, power)))[0], power);
  }
}

TEST(Lanes, Log2OfZeroAndBelowIsThatOfTheLeast) {
  EXPECT_EQ(log2_of(broadcast(0))[0], log2_of(broadcast(1e-12))[0]);
  EXPECT_EQ(log2_of(broadcast(-5))[0], log2_of(broadcast(1e-12))[0]);
}

TEST(Lanes, RoundLikeTheLibrary) {
  for (const double x : {0.0, 0.25, 0.999999, 1.0, 1.5, 108.0, 4194303.5, 8388609.0, 3e9, 1e20}) {
    const auto rounded = static_cast<float>(x);
    EXPECT_EQ(floor_of(broadcast(x))[0], std::floor(rounded)) << x;
    EXPECT_EQ(ceil_of(broadcast(x))[0], std::ceil(rounded)) << x;
  }
}

}  // namespace
}  // namespace triode
