// SPDX-License-Identifier: Apache-2.0
#include "core/config.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

TEST(Config, StartsWithZeros) {
  const Config config(3);
  EXPECT_EQ(config.size(), 3u);
  EXPECT_EQ(config[0], 0);
  EXPECT_EQ(config[2], 0);
}

TEST(Config, ComparesValues) {
  Config one(2);
  Config other(2);
  other[1] = 5;
  EXPECT_NE(one, other);
  EXPECT_LT(one, other);
  one[1] = 5;
  EXPECT_EQ(one, other);
}

TEST(Config, OfAnotherSizeIsAnotherConfig) {
  EXPECT_NE(Config(2), Config(3));
}

TEST(Config, HoldsTheMostParametersThereMayBe) {
  Config config(Config::kMaxParameters);
  config[Config::kMaxParameters - 1] = 7;
  EXPECT_EQ(config[Config::kMaxParameters - 1], 7);
}

}  // namespace
}  // namespace triode
