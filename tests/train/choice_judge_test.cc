// SPDX-License-Identifier: Apache-2.0
#include "learner/train/choice_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "learner/train/baselines.h"
#include "tests/train/generated_timings.h"

namespace triode::train {
namespace {

std::vector<size_t> everything(const std::vector<TimedProblem>& problems) {
  std::vector<size_t> all;
  for (size_t i = 0; i < problems.size(); ++i) all.push_back(i);
  return all;
}

double geomean(const std::vector<TimedProblem>& problems, const Ranker& ranker, size_t k) {
  std::vector<Judgement> judgements;
  const std::vector<size_t> ks = {k};
  EXPECT_TRUE(judge_choices(problems, everything(problems), ranker, ks, 0, judgements).ok());
  return summarize(judgements, 0, Against::kBestConfig, [](size_t) { return true; }).all.geomean;
}

TEST(ChoiceJudge, VendorIsAnArmOfBothSides) {
  std::vector<TimedProblem> problems = generated_timings(1, 1);
  problems[0].seconds.assign(problems[0].seconds.size(), 8.0);
  problems[0].seconds[0] = 4.0;
  problems[0].vendor_s = 5.0;
  const Ranker wrong = [](const TimedProblem&) { return std::vector<size_t>{1, 0}; };
  std::vector<Judgement> judgements;
  const std::vector<size_t> ks = {1, 2};
  ASSERT_TRUE(judge_choices(problems, everything(problems), wrong, ks, 0, judgements).ok());
  EXPECT_DOUBLE_EQ(judgements[0].regret[0], 2.0);
  EXPECT_DOUBLE_EQ(judgements[0].with_vendor[0], 1.25);
  EXPECT_DOUBLE_EQ(judgements[0].with_vendor[1], 1.0);
}

TEST(ChoiceJudge, TellsFoldsApart) {
  const std::vector<Judgement> judgements = {{.problem = 0, .fold = 0, .regret = {1.0}},
                                             {.problem = 1, .fold = 1, .regret = {1.2}}};
  const FoldedSummary summary =
      summarize(judgements, 0, Against::kBestConfig, [](size_t) { return true; });
  EXPECT_EQ(summary.fold_geomeans.size(), 2u);
  EXPECT_NEAR(summary.mean, 1.1, 1e-12);
  EXPECT_NEAR(summary.deviation, 0.2 / std::sqrt(2.0), 1e-12);
}

TEST(ChoiceJudge, PassesOverWhatIsNotSupportedWithTheReason) {
  const std::vector<TimedProblem> problems = generated_timings(2, 1);
  const Ranker refuses_one = [&](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    if (timed.problem == problems[0].problem) return unsupported("not this one");
    return std::vector<size_t>{0};
  };
  std::vector<Judgement> judgements;
  const std::vector<size_t> ks = {1};
  ASSERT_TRUE(judge_choices(problems, everything(problems), refuses_one, ks, 0, judgements).ok());
  ASSERT_EQ(judgements.size(), 2u);
  EXPECT_EQ(judgements[0].passed_over, "not this one");
  EXPECT_TRUE(judgements[0].regret.empty());
  EXPECT_EQ(judgements[1].passed_over, "");
  const auto all = [](size_t) { return true; };
  EXPECT_EQ(summarize(judgements, 0, Against::kBestConfig, all).all.n, 1u);
}

TEST(ChoiceJudge, FailsAsTheRankerDoes) {
  const std::vector<TimedProblem> problems = generated_timings(1, 1);
  const Ranker fails = [](const TimedProblem&) -> Result<std::vector<size_t>> {
    return internal_error("broken");
  };
  std::vector<Judgement> judgements;
  const std::vector<size_t> ks = {1};
  const Status status = judge_choices(problems, everything(problems), fails, ks, 0, judgements);
  EXPECT_EQ(status.code(), StatusCode::kInternal);
}

TEST(Baselines, AnalyticalMissesWhatOnlyDataTells) {
  const std::vector<TimedProblem> problems = generated_timings(20, 5);
  const double analytical = geomean(problems, analytical_ranker(), 1);
  EXPECT_GT(analytical, 1.0);
  EXPECT_LT(analytical, geomean(problems, random_ranker(0), 1));
}

TEST(Baselines, StaticListOfOneIsTheBestSingleConfig) {
  std::vector<TimedProblem> problems = generated_timings(8, 5);
  for (TimedProblem& timed : problems) {
    timed.seconds.assign(timed.seconds.size(), 2.0);
    timed.seconds[3] = 1.0;
  }
  const Ranker ranker = static_ranker(problems, everything(problems), 1);
  EXPECT_DOUBLE_EQ(geomean(problems, ranker, 1), 1.0);
}

TEST(Baselines, RandomOrderIsTheSameForTheSameSeed) {
  const std::vector<TimedProblem> problems = generated_timings(5, 5);
  EXPECT_EQ(geomean(problems, random_ranker(1), 1), geomean(problems, random_ranker(1), 1));
}

}  // namespace
}  // namespace triode::train
