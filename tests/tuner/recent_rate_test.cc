// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/recent_rate.h"

#include <gtest/gtest.h>

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RecentRate, IsOverTheLastTenSeconds) {
  RecentRate rate;
  for (int i = 0; i < 50; ++i) rate.count(milliseconds(100 * i));
  EXPECT_EQ(rate.per_second(seconds(5)), 5);
  EXPECT_EQ(rate.per_second(seconds(12)), 2);
  EXPECT_EQ(rate.per_second(seconds(60)), 0);
}

TEST(RecentRate, CountsAnewWhereASecondComesRoundAgain) {
  RecentRate rate;
  for (int i = 0; i < 10; ++i) rate.count(seconds(1));
  for (int i = 0; i < 20; ++i) rate.count(seconds(11));
  EXPECT_EQ(rate.per_second(seconds(11)), 2);
}

}  // namespace
}  // namespace triode::tuner
