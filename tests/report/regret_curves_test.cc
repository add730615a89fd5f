// SPDX-License-Identifier: Apache-2.0
#include "tools/report/regret_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

namespace triode::report_tool {
namespace {

// Trials that came in this order; 0 stands for one that failed.
ProblemFact problem(std::initializer_list<double> medians, uint64_t first_number = 1) {
  ProblemFact fact;
  uint64_t number = first_number;
  for (const double median : medians) {
    TrialFact trial;
    trial.median_ns = median;
    if (median == 0) trial.outcome = OutcomeKind::kCrashed;
    trial.number = number++;
    fact.trials.push_back(trial);
  }
  return fact;
}

TEST(RegretCurves, BestOfTheFirstTimingsOverTheBestOfAll) {
  const std::vector<ProblemFact> problems = {problem({200, 0, 400, 100})};
  const auto points = regret_by_timings(problems, 3);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_DOUBLE_EQ(points[0].geomean, 2);
  EXPECT_DOUBLE_EQ(points[1].geomean, 2);
  EXPECT_DOUBLE_EQ(points[2].geomean, 1);
}

TEST(RegretCurves, GeometricMeanAndNinthTenthOverProblems) {
  const std::vector<ProblemFact> problems = {problem({400, 100}), problem({100, 100})};
  const auto points = regret_by_timings(problems, 2);
  EXPECT_DOUBLE_EQ(points[0].geomean, 2);
  EXPECT_DOUBLE_EQ(points[0].p90, 4);
  EXPECT_EQ(points[0].problems, 2u);
}

TEST(RegretCurves, ProblemsWithFewTimingsSayNothing) {
  const std::vector<ProblemFact> problems = {problem({400, 100})};
  EXPECT_TRUE(regret_by_timings(problems, 3).empty());
  EXPECT_TRUE(regret_by_problem(problems, 3).empty());
}

TEST(RegretCurves, ImportedTrialsCameInNoOrder) {
  ProblemFact imported = problem({400, 100, 200});
  for (TrialFact& trial : imported.trials) trial.number = 0;
  EXPECT_TRUE(regret_by_timings(std::vector{imported}, 1).empty());
}

TEST(RegretCurves, FirstChoicesInTheOrderOfTheProblems) {
  const std::vector<ProblemFact> problems = {problem({300, 200, 150, 100}, 10),
                                             problem({120, 100, 100}, 2)};
  const auto points = regret_by_problem(problems, 3);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].problem, 1u);
  EXPECT_DOUBLE_EQ(points[0].first, 1.2);
  EXPECT_DOUBLE_EQ(points[1].first, 3);
  EXPECT_DOUBLE_EQ(points[1].best_of_three, 1.5);
}

}  // namespace
}  // namespace triode::report_tool
