// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/median_interval.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>

#include "core/random.h"

namespace triode::bench {
namespace {

std::vector<double> numbers_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Ranks as tables of the sign test have them.
TEST(MedianInterval, HasTheRanksOfTheSignTest) {
  const Interval of_six = median_interval(numbers_to(6));
  EXPECT_EQ(of_six.low, 1);
  EXPECT_EQ(of_six.high, 6);
  const Interval of_ten = median_interval(numbers_to(10));
  EXPECT_EQ(of_ten.low, 2);
  EXPECT_EQ(of_ten.high, 9);
  const Interval of_51 = median_interval(numbers_to(51));
  EXPECT_EQ(of_51.low, 19);
  EXPECT_EQ(of_51.high, 33);
}

TEST(MedianInterval, IsAllOfAFewValuesInAnyOrder) {
  const Interval interval = median_interval({3, 1, 2});
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 3);
  EXPECT_EQ(median_interval({7}).low, 7);
}

TEST(MedianInterval, HoldsTheMedianInNineteenOfTwentyDraws) {
  Random random(1);
  int holds = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    std::vector<double> values;
    for (int i = 0; i < 31; ++i) values.push_back(random.uniform());
    const Interval interval = median_interval(values);
    holds += interval.low <= 0.5 && interval.high >= 0.5 ? 1 : 0;
  }
  EXPECT_GE(holds, 1880);
  EXPECT_LE(holds, 1980);  // and not by being too wide
}

}  // namespace
}  // namespace triode::bench
