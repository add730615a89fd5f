// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/tuner/vendor_call.h"
#include "tests/tuner/one_tuner.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class TunerTest : public OneTuner {};

TEST_F(TunerTest, DoesNothingUnasked) {
  EXPECT_FALSE(step());
  EXPECT_EQ(runner_.begun, 0);
}

TEST_F(TunerTest, PushesThePlanItFindsAndKeepsIt) {
  join(1);
  report(1, 16);
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_TRUE(step());
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_EQ(verdicts_[0].first, 1);
  EXPECT_EQ(verdicts_[0].second.id, 16);
  ASSERT_THAT(verdicts_[0].second.plan, SizeIs(1));
  EXPECT_EQ(verdicts_[0].second.plan[0].config, "x=7 y=3");
  EXPECT_EQ(PlanBook((folder_.path() / "host.plans").string()).size(), 1u);
  EXPECT_FALSE(step());
}

TEST_F(TunerTest, RecordsEveryTrial) {
  join(1);
  report(1, 16);
  step();
  EXPECT_GE(log_.trials.size(), 40u);
  EXPECT_EQ(log_.flushes, 1);
}

TEST_F(TunerTest, RecordsTheVendorsTimeOfEveryRace) {
  join(1);
  report(1, 16);
  step();
  std::vector<VendorTime> vendors;
  for (const ConfigTrial& trial : log_.trials) {
    if (trial.record.vendor) vendors.push_back(*trial.record.vendor);
  }
  ASSERT_THAT(vendors, SizeIs(runner_.raced.size()));
  EXPECT_EQ(vendors.back(), (VendorTime{8000, 8, 0.005}));
}

TEST_F(TunerTest, RecordsAPlanAndItsWithdrawal) {
  join(1);
  report(1, 16);
  step();
  ASSERT_TRUE(log_.plan.has_value());
  EXPECT_EQ(log_.plan->config, "x=7 y=3");
  EXPECT_EQ(log_.spread, 0.005);
  withdraw(1, 16);
  EXPECT_FALSE(log_.plan.has_value());
}

TEST_F(TunerTest, TellsTheRankerOfEveryTrial) {
  join(1);
  report(1, 16);
  step();
  EXPECT_THAT(ranker_.learnt, SizeIs(40));
  EXPECT_EQ(ranker_.reviewed, 40u);
}

TEST_F(TunerTest, WritesATrialDownBeforeTheNextBegins) {
  std::vector<size_t> written;
  join(1);
  report(1, 16);
  tuner_->step([&] {
    if (runner_.raced.empty()) written.push_back(log_.trials.size());
    return false;
  });
  ASSERT_GE(written.size(), 40u);
  for (size_t begun = 0; begun < 40; ++begun) EXPECT_EQ(written[begun], begun);
}

TEST_F(TunerTest, GivesALaterClientEverythingAtOnce) {
  join(1);
  report(1, 16);
  step();
  const Plans plans = join(2);
  ASSERT_THAT(plans.plans, SizeIs(1));
  EXPECT_EQ(plans.plans[0].config, "x=7 y=3");
}

TEST_F(TunerTest, AnotherTunerBeginsWithWhatWasKept) {
  join(1);
  report(1, 16);
  step();
  tuner_ = make_tuner();
  EXPECT_THAT(join(1).plans, SizeIs(1));
  verdicts_.clear();
  report(1, 16);
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(1));
  EXPECT_FALSE(step());
}

TEST_F(TunerTest, SearchesOnceForAllWhoWait) {
  for (const ClientId client : {1, 2, 3}) {
    join(client);
    report(client, 16);
  }
  step();
  EXPECT_EQ(runner_.begun, 1);
  EXPECT_THAT(verdicts_, SizeIs(3));
}

TEST_F(TunerTest, AClientThatComesDuringASearchGetsItsResult) {
  join(1);
  join(2);
  report(1, 16);
  bool has_come = false;
  tuner_->step([&] {
    if (!std::exchange(has_come, true)) report(2, 16);
    return false;
  });
  EXPECT_THAT(verdicts_, SizeIs(2));
  EXPECT_FALSE(step());
}

TEST_F(TunerTest, AClientThatLeavesDuringASearchDoesNotEndIt) {
  join(1);
  report(1, 16);
  bool has_left = false;
  tuner_->step([&] {
    if (!std::exchange(has_left, true)) tuner_->leave(1);
    return false;
  });
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_THAT(join(2).plans, SizeIs(1));
}

TEST_F(TunerTest, SaysWhyTheVendorStaysAndDoesNotSearchAgain) {
  runner_.refuses = unsupported("the library has changed");
  join(1);
  report(1, 16);
  step();
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.remark, HasSubstr("has changed"));
  report(1, 16);
  EXPECT_THAT(verdicts_, SizeIs(2));
  EXPECT_FALSE(step());
}

TEST_F(TunerTest, AnswersForAProgramOnAnotherMachine) {
  no_space_ = unsupported("another machine");
  join(1);
  report(1, 16);
  step();
  EXPECT_EQ(verdicts_.at(0).second.remark, "another machine");
  EXPECT_EQ(runner_.begun, 0);
}

TEST_F(TunerTest, RestsAfterDisturbedSearchesAndComesBack) {
  runner_.disturbed_races = 1000;
  join(1);
  report(1, 16);
  int searches = 0;
  while (step()) ++searches;
  EXPECT_EQ(searches, 3);
  EXPECT_THAT(verdicts_, SizeIs(0));
  clock_.advance(std::chrono::seconds(2));
  EXPECT_TRUE(step());
  EXPECT_FALSE(step()) << "the second rest is longer";
  runner_.disturbed_races = 0;
  clock_.advance(std::chrono::seconds(2));
  EXPECT_TRUE(step());
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(1));
}

TEST_F(TunerTest, LosesNothingWhenASearchIsStopped) {
  join(1);
  report(1, 16);
  tuner_->step([this] { return runner_.tried.size() >= 5; });
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_THAT(log_.trials, SizeIs(5));
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(1));
}

TEST_F(TunerTest, SearchesAnewForAPlanThatWasWithdrawn) {
  join(1);
  report(1, 16);
  step();
  withdraw(1, 16);
  EXPECT_THAT(join(2).plans, SizeIs(0));
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(2));
}

TEST_F(TunerTest, GivesUpACallWhosePlansAreWithdrawnAgainAndAgain) {
  join(1);
  report(1, 16);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(step());
    withdraw(1, 16);
  }
  EXPECT_FALSE(step());
  verdicts_.clear();
  report(1, 16);
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(0));
}

TEST_F(TunerTest, SearchesAnewForAPlanThatCannotBeSentAnyMore) {
  join(1);
  report(1, 16);
  step();
  tuner_ = make_tuner();
  join(1);
  verdicts_.clear();
  lost_ = not_found("its code is gone");
  report(1, 16);
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_EQ(book_.size(), 0u);
  EXPECT_FALSE(log_.plan.has_value());
  EXPECT_EQ(shown().state, ProblemState::kQueued);
  lost_ = {};
  EXPECT_TRUE(step());
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_EQ(verdicts_[0].second.id, 16);
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(1));
  EXPECT_EQ(book_.size(), 1u);
}

TEST_F(TunerTest, LeavesACallToTheVendorWhosePlansAreLostAgainAndAgain) {
  lost_ = not_found("its code is gone");
  join(1);
  report(1, 16);
  while (step()) {
  }
  EXPECT_EQ(runner_.begun, 3);
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(0));
  EXPECT_EQ(verdicts_[0].second.remark, "its code is gone");
}

// Three programs have the same plan.
class SharedPlanTest : public OneTuner {
 protected:
  SharedPlanTest() {
    for (const ClientId client : {1, 2, 3}) {
      join(client);
      report(client, 16);
    }
    step();
    first_ = latest();
    verdicts_.clear();
  }
  uint64_t latest() const { return verdicts_.back().second.plan.at(0).code_digest; }
  // The next search finds another plan.
  void spoil(int32_t x) {
    runner_.outcomes_by_x[x] = OutcomeKind::kWrongResult;
    log_.trials.clear();
  }
  uint64_t first_ = 0;
};

TEST_F(SharedPlanTest, ALateWithdrawalGetsTheNextPlanAndTakesNothingBack) {
  withdraw(1, 16, first_);
  spoil(7);
  ASSERT_TRUE(step());
  const uint64_t second = latest();
  ASSERT_NE(second, first_);
  for (const ClientId client : {2, 3}) {
    withdraw(client, 16, first_);
    EXPECT_EQ(verdicts_.back().first, client);
    EXPECT_EQ(latest(), second);
  }
  EXPECT_FALSE(step());
  EXPECT_THAT(join(4).plans, SizeIs(1));
  EXPECT_TRUE(log_.plan.has_value());
  EXPECT_EQ(tuner_->status().withdrawals, 1u);
}

TEST_F(SharedPlanTest, WhoWithdrawsWhatIsSearchedForAlreadyWaitsWithTheOthers) {
  for (const ClientId client : {1, 2, 3}) withdraw(client, 16, first_);
  EXPECT_EQ(tuner_->status().withdrawals, 1u);
  ASSERT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(3));
  EXPECT_THAT(verdicts_[2].second.plan, SizeIs(1));
}

TEST_F(SharedPlanTest, ThreePlansThatWereWithdrawnAreEnough) {
  uint64_t plan = first_;
  for (const int32_t x : {7, 6, 8}) {
    for (const ClientId client : {1, 2, 3}) withdraw(client, 16, plan);
    spoil(x);
    if (step()) plan = latest();
  }
  EXPECT_EQ(tuner_->status().withdrawals, 3u);
  verdicts_.clear();
  report(1, 16);
  ASSERT_THAT(verdicts_, SizeIs(1));
  EXPECT_THAT(verdicts_[0].second.plan, SizeIs(0));
}

TEST_F(TunerTest, GoesOnWhenTrialsCannotBeKept) {
  log_.fails = unavailable("the folder has vanished");
  join(1);
  report(1, 16);
  step();
  EXPECT_THAT(verdicts_.at(0).second.plan, SizeIs(1));
}

TEST_F(TunerTest, AnswersACallThatMeansNothing) {
  join(1);
  VendorCall nonsense = sample_call(16);
  nonsense.symbol = "launch_missiles";
  tuner_->report(1, Reports{{ProblemReport{1, nonsense, {1, 1e7, 0, 0}}}});
  EXPECT_THAT(verdicts_.at(0).second.remark, HasSubstr("launch_missiles"));
  nonsense = sample_call(-16);
  tuner_->report(1, Reports{{ProblemReport{2, nonsense, {1, 1e7, 0, 0}}}});
  EXPECT_THAT(verdicts_, SizeIs(2));
  EXPECT_FALSE(step());
}

TEST(ProblemOf, ReadsTheCallAsAHostDoes) {
  const Problem problem = problem_of(sample_call(16)).value();
  EXPECT_EQ(to_string(problem), "mm f32 16x16x16 nn ld-aligned align=4");
}

}  // namespace
}  // namespace triode::tuner
