// SPDX-License-Identifier: Apache-2.0
#include "learner/train/regret.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace triode::train {
namespace {

TEST(Regret, IsBestOfTheFirstChoicesOverBestOfAll) {
  const std::vector<double> times = {4, 2, 1, 3};
  const std::vector<size_t> order = {0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(regret_of(times, order, 1), 4);
  EXPECT_DOUBLE_EQ(regret_of(times, order, 2), 2);
  EXPECT_DOUBLE_EQ(regret_of(times, order, 3), 1);
}

TEST(Regret, FailedChoiceUsesUpItsPlace) {
  const std::vector<double> times = {kFailed, 2, 1};
  const std::vector<size_t> order = {0, 1, 2};
  EXPECT_TRUE(std::isinf(regret_of(times, order, 1)));
  EXPECT_DOUBLE_EQ(regret_of(times, order, 2), 2);
}

TEST(Regret, AsksForNoMoreChoicesThanThereAre) {
  const std::vector<double> times = {2, 1};
  const std::vector<size_t> order = {0};
  EXPECT_DOUBLE_EQ(regret_of(times, order, 5), 2);
}

TEST(RegretSummary, HoldsGeometricMeanAndQuantiles) {
  std::vector<double> regrets(100, 1.0);
  regrets[7] = 4.0;
  const RegretSummary summary = summarize_regret(regrets);
  EXPECT_EQ(summary.n, 100u);
  EXPECT_NEAR(summary.geomean, std::pow(4.0, 0.01), 1e-12);
  EXPECT_DOUBLE_EQ(summary.p90, 1.0);
  EXPECT_NEAR(summary.p99, 1.03, 1e-9);  // a hundredth of the way from 1 to 4
  EXPECT_DOUBLE_EQ(summary.worst, 4.0);
}

TEST(RegretSummary, CapsAChoiceThatNeverRan) {
  EXPECT_DOUBLE_EQ(summarize_regret({INFINITY}).worst, kWorstRegret);
}

TEST(RegretSummary, OfNothingCountsNothing) {
  EXPECT_EQ(summarize_regret({}).n, 0u);
}

}  // namespace
}  // namespace triode::train
