// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/one_tuner.h"

namespace triode::tuner {
namespace {

using ::testing::SizeIs;

// Programs that may run what was not timed.
class TunerTrustTest : public OneTuner {};

TEST_F(TunerTrustTest, WhoTrustsTheModelGetsItsChoiceOnceItWasChecked) {
  ranker_.chosen = "x=5 y=1";
  join(1, true);
  report(1, 16);
  EXPECT_TRUE(step());
  EXPECT_THAT(runner_.checked, ::testing::ElementsAre("x=5 y=1"));
  EXPECT_THAT(runner_.tried, SizeIs(0));
  ASSERT_THAT(verdicts_, SizeIs(1));
  ASSERT_THAT(verdicts_[0].second.plan, SizeIs(1));
  EXPECT_EQ(verdicts_[0].second.plan[0].config, "x=5 y=1");
  EXPECT_EQ(verdicts_[0].second.plan[0].code_digest, 501u);
  EXPECT_FALSE(verdicts_[0].second.plan[0].is_timed());
  EXPECT_EQ(shown().state, ProblemState::kTrusted);
}

TEST_F(TunerTrustTest, WhatIsTrustedIsTimedNextAndReplaced) {
  ranker_.chosen = "x=5 y=1";
  join(1, true);
  report(1, 16);
  step();
  report(1, 16);  // as hosts do every second
  EXPECT_THAT(verdicts_, SizeIs(1));
  EXPECT_TRUE(step());
  ASSERT_THAT(verdicts_, SizeIs(2));
  EXPECT_EQ(verdicts_[1].second.plan.at(0).config, "x=7 y=3");
  EXPECT_TRUE(verdicts_[1].second.plan[0].is_timed());
}

TEST_F(TunerTrustTest, WhatIsTrustedIsForThoseAloneWhoTrust) {
  ranker_.chosen = "x=5 y=1";
  join(1, true);
  join(2);
  report(1, 16);
  report(2, 16);
  step();
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_EQ(verdicts_[0].first, 1);
  EXPECT_THAT(join(3).plans, SizeIs(0));
  EXPECT_EQ(PlanBook((folder_.path() / "host.plans").string()).size(), 0u);
  join(4, true);
  report(4, 16);
  ASSERT_THAT(verdicts_, SizeIs(2));
  EXPECT_EQ(verdicts_[1].first, 4);
}

TEST_F(TunerTrustTest, AChoiceThatFailsItsCheckIsOnRecordAndGoesToNobody) {
  ranker_.chosen = "x=5 y=1";
  runner_.outcomes_by_x = {{5, OutcomeKind::kWrongResult}};
  join(1, true);
  report(1, 16);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
  ASSERT_THAT(log_.trials, SizeIs(1));
  EXPECT_EQ(log_.trials[0].record.outcome.kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(shown().state, ProblemState::kQueued);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(1));
}

TEST_F(TunerTrustTest, TheVendorAnswersUntilTimedWhereTheModelIsNotSure) {
  join(1, true);
  report(1, 16);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_THAT(runner_.checked, SizeIs(0));
  EXPECT_TRUE(step());
  EXPECT_TRUE(verdicts_.at(0).second.plan.at(0).is_timed());
}

TEST_F(TunerTrustTest, AChoiceThatWasWithdrawnIsNotTrustedAgain) {
  ranker_.chosen = "x=5 y=1";
  join(1, true);
  report(1, 16);
  step();
  withdraw(1, 16);
  join(2, true);
  report(2, 16);
  EXPECT_THAT(verdicts_, SizeIs(1));
  EXPECT_TRUE(step());
  EXPECT_THAT(runner_.checked, SizeIs(1));
  EXPECT_GT(runner_.tried.size(), 0u);
}

}  // namespace
}  // namespace triode::tuner
