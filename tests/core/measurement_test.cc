// SPDX-License-Identifier: Apache-2.0
#include "core/measurement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace triode {
namespace {

Sample sample_ns(double ns) {
  return {.per_call = std::chrono::duration<double, std::nano>(ns)};
}

TEST(MedianOf, OddCountIsTheMiddle) {
  EXPECT_DOUBLE_EQ(median_of({9, 1, 5}), 5);
}

TEST(MedianOf, EvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median_of({9, 1, 5, 6}), 5.5);
}

TEST(MedianOf, OneValueIsItself) {
  EXPECT_DOUBLE_EQ(median_of({4}), 4);
}

TEST(MedianOf, OneWildValueDoesNotMoveIt) {
  EXPECT_DOUBLE_EQ(median_of({10, 11, 1e9}), 11);
}

TEST(SpreadOf, OneValueHasNone) {
  EXPECT_DOUBLE_EQ(spread_of({4}), 0);
}

TEST(SpreadOf, IsHalfTheQuartileDistanceOverTheMedian) {
  // Quartiles 20 and 40, median 30.
  EXPECT_DOUBLE_EQ(spread_of({50, 10, 40, 20, 30}), 10.0 / 30.0);
}

TEST(SpreadOf, DoesNotDependOnTheUnit) {
  EXPECT_DOUBLE_EQ(spread_of({1, 2, 3, 4}), spread_of({1000, 2000, 3000, 4000}));
}

TEST(SpreadOf, EqualValuesHaveNoneEvenAtZero) {
  EXPECT_DOUBLE_EQ(spread_of({7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(spread_of({0, 0, 0}), 0);
}

TEST(SpreadOf, ValuesOffAZeroMedianAreNotSteady) {
  EXPECT_TRUE(std::isinf(spread_of({0, 0, 0, 1, 1})));
}

TEST(Summarize, NoSamplesGiveAZeroCount) {
  EXPECT_EQ(summarize({}), Measurement{});
}

TEST(Summarize, GivesMedianMinimumSpreadAndCount) {
  const std::vector<Sample> samples = {sample_ns(50), sample_ns(10), sample_ns(40), sample_ns(20),
                                       sample_ns(30)};
  const Measurement measurement = summarize(samples);
  EXPECT_DOUBLE_EQ(measurement.median_ns, 30);
  EXPECT_DOUBLE_EQ(measurement.min_ns, 10);
  EXPECT_DOUBLE_EQ(measurement.spread, 10.0 / 30.0);
  EXPECT_EQ(measurement.count, 5);
}

TEST(Summarize, OrderDoesNotMatter) {
  const std::vector<Sample> up = {sample_ns(1), sample_ns(2), sample_ns(4), sample_ns(8)};
  const std::vector<Sample> mixed = {sample_ns(4), sample_ns(1), sample_ns(8), sample_ns(2)};
  EXPECT_EQ(summarize(up), summarize(mixed));
}

}  // namespace
}  // namespace triode
