// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/tuner/vendor_call.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Trials in memory, and how often they were written.
class MemoryLog final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return trials; }
  Status record(const Target&, const Problem&, const Space&, std::vector<Trial> more) override {
    ++writes;
    if (!fails.ok()) return fails;
    trials.insert(trials.end(), more.begin(), more.end());
    return {};
  }
  std::vector<Trial> trials;
  int writes = 0;
  Status fails;
};

class TunerTest : public ::testing::Test {
 protected:
  TunerTest() { tuner_ = make_tuner(); }

  std::unique_ptr<Tuner> make_tuner() {
    return std::make_unique<Tuner>(
        Tuner::Parts{
            .ranker = ranker_,
            .runner = runner_,
            .log = log_,
            .book = book_,
            .events = events_,
            .clock = clock_,
            .space_of = [this](const Target&, const Problem&) -> Result<Space> {
              if (!no_space_.ok()) return no_space_;
              return model_space();
            },
            .deliver = [this](ClientId client,
                              const Verdict& verdict) { verdicts_.emplace_back(client, verdict); },
            .wall = clock_},
        ProblemSearchOptions{});
  }

  Plans join(ClientId client, bool trusts_model = false) {
    return tuner_->join(client, Hello{"1", 1, "program", sample_target(), trusts_model});
  }
  void tell_figures(ClientId client, int64_t size, const CallFigures& use) {
    tuner_->report(client, Reports{{ProblemReport{size, sample_call(size), use, false}}});
  }
  SentProblem shown() const { return tuner_->status().problems.at(0); }
  void report(ClientId client, int64_t size, double total_ns = 1e7) {
    tuner_->report(client, Reports{{ProblemReport{size, sample_call(size), {10, total_ns, 0, 0}}}});
  }
  bool step() {
    return tuner_->step([] { return false; });
  }

  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  MemoryLog log_;
  TemporaryFolder folder_;
  PlanBook book_{(folder_.path() / "host.plans").string()};
  EventLog events_{""};
  Status no_space_;
  std::vector<std::pair<ClientId, Verdict>> verdicts_;
  std::unique_ptr<Tuner> tuner_;
};

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
  EXPECT_LT(log_.writes, 10);
}

TEST_F(TunerTest, TellsTheRankerOfEveryTrial) {
  join(1);
  report(1, 16);
  step();
  EXPECT_THAT(ranker_.learnt, SizeIs(40));
}

TEST_F(TunerTest, WritesACrashDownAtOnce) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kCrashed}};
  int written_at = 0;
  join(1);
  report(1, 16);
  tuner_->step([&] {
    if (runner_.tried.size() == 1) written_at = log_.writes;
    return false;
  });
  EXPECT_EQ(written_at, 1);
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
  tuner_->withdraw(1, Withdrawal{16, sample_call(16), 900, 800});
  EXPECT_THAT(join(2).plans, SizeIs(0));
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(2));
}

TEST_F(TunerTest, GivesUpACallWhosePlansAreWithdrawnAgainAndAgain) {
  join(1);
  report(1, 16);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(step());
    tuner_->withdraw(1, Withdrawal{16, sample_call(16), 900, 800});
  }
  EXPECT_FALSE(step());
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

TEST_F(TunerTest, CountsWhatItDoes) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kCrashed}};
  join(1);
  report(1, 16);
  step();
  const TunerStatus status = tuner_->status();
  EXPECT_EQ(status.searches, 1u);
  EXPECT_EQ(status.trials, 40u);
  EXPECT_EQ(status.failed_trials, 4u);
  EXPECT_EQ(status.plans_found, 1u);
  EXPECT_EQ(status.plans, 1u);
  EXPECT_EQ(status.current, "");
  EXPECT_THAT(status.latest, SizeIs(1));
}

uint64_t total_of(const std::vector<Metric>& metrics, const std::string& name,
                  const std::string& label = "") {
  for (const Metric& metric : metrics) {
    if (metric.name == name && metric.label == label) return metric.total();
  }
  return 0;
}

TEST_F(TunerTest, MeasuresWhatItDoes) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kCrashed}};
  join(1);
  report(1, 16);
  step();
  const std::vector<Metric> metrics = tuner_->metrics().all();
  EXPECT_EQ(total_of(metrics, "trials", "outcome=ok"), 36u);
  EXPECT_EQ(total_of(metrics, "trials", "outcome=crashed"), 4u);
  EXPECT_EQ(total_of(metrics, "trial_seconds"), 40u);
  EXPECT_EQ(total_of(metrics, "search_seconds"), 1u);
  EXPECT_EQ(total_of(metrics, "searches_settled", "by=plan"), 1u);
  EXPECT_EQ(total_of(metrics, "speedup"), 1u);
  tuner_->withdraw(1, Withdrawal{16, sample_call(16), 900, 800});
  EXPECT_EQ(total_of(tuner_->metrics().all(), "withdrawals"), 1u);
}

TEST_F(TunerTest, ShowsWhereAProblemStands) {
  join(1);
  report(1, 16, 5e6);
  EXPECT_EQ(shown().state, ProblemState::kQueued);
  EXPECT_EQ(shown().problem, "mm f32 16x16x16 nn ld-aligned align=4");
  EXPECT_EQ(shown().use.vendor_ns, 5e6);
  EXPECT_EQ(shown().expected_saving, 0.5);
  ProblemState during = ProblemState::kQueued;
  tuner_->step([&] {
    during = shown().state;
    return false;
  });
  EXPECT_EQ(during, ProblemState::kTiming);
  EXPECT_EQ(shown().state, ProblemState::kTuned);
  EXPECT_EQ(shown().speedup, 8);
  EXPECT_EQ(shown().trials, 40u);
  EXPECT_EQ(shown().clients, 1u);
  tell_figures(1, 16, {10, 5e6, 100, 6e6});
  EXPECT_EQ(shown().use.plan_calls, 100u);
  EXPECT_EQ(tuner_->total_of(1).use.plan_ns, 6e6);
  tuner_->withdraw(1, Withdrawal{16, sample_call(16), 900, 800});
  EXPECT_EQ(shown().state, ProblemState::kWithdrawn);
  EXPECT_GT(tuner_->status().trials_per_second, 0);
}

TEST_F(TunerTest, ShowsAProblemAgainThatWaitsAgain) {
  join(1);
  report(1, 16);
  tuner_->step([this] { return runner_.tried.size() >= 5; });
  EXPECT_EQ(shown().state, ProblemState::kQueued);
}

TEST_F(TunerTest, ShowsWhyTheVendorStays) {
  runner_.refuses = unsupported("the library has changed");
  join(1);
  report(1, 16);
  step();
  EXPECT_EQ(shown().state, ProblemState::kVendor);
  EXPECT_THAT(shown().remark, HasSubstr("has changed"));
}

TEST_F(TunerTest, FiguresAloneAreShownAndNotSearchedFor) {
  join(1);
  report(1, 16);
  step();
  tuner_ = make_tuner();
  join(1);
  verdicts_.clear();
  tell_figures(1, 16, {10, 5e6, 100, 6e6});
  EXPECT_EQ(shown().state, ProblemState::kTuned);
  tell_figures(1, 17, {1000, 9e9, 0, 0});
  EXPECT_EQ(shown().state, ProblemState::kVendor);
  EXPECT_FALSE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
}

TEST_F(TunerTest, WhoTrustsTheModelGetsItsChoiceOnceItWasChecked) {
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

TEST_F(TunerTest, WhatIsTrustedIsTimedNextAndReplaced) {
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

TEST_F(TunerTest, WhatIsTrustedIsForThoseAloneWhoTrust) {
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

TEST_F(TunerTest, AChoiceThatFailsItsCheckIsOnRecordAndGoesToNobody) {
  ranker_.chosen = "x=5 y=1";
  runner_.outcomes_by_x = {{5, OutcomeKind::kWrongResult}};
  join(1, true);
  report(1, 16);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
  ASSERT_THAT(log_.trials, SizeIs(1));
  EXPECT_EQ(log_.trials[0].outcome.kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(shown().state, ProblemState::kQueued);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(1));
}

TEST_F(TunerTest, TheVendorAnswersUntilTimedWhereTheModelIsNotSure) {
  join(1, true);
  report(1, 16);
  EXPECT_TRUE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
  EXPECT_THAT(runner_.checked, SizeIs(0));
  EXPECT_TRUE(step());
  EXPECT_TRUE(verdicts_.at(0).second.plan.at(0).is_timed());
}

TEST_F(TunerTest, AChoiceThatWasWithdrawnIsNotTrustedAgain) {
  ranker_.chosen = "x=5 y=1";
  join(1, true);
  report(1, 16);
  step();
  tuner_->withdraw(1, Withdrawal{16, sample_call(16), 900, 800});
  join(2, true);
  report(2, 16);
  EXPECT_THAT(verdicts_, SizeIs(1));
  EXPECT_TRUE(step());
  EXPECT_THAT(runner_.checked, SizeIs(1));
  EXPECT_GT(runner_.tried.size(), 0u);
}

TEST(ProblemOf, ReadsTheCallAsAHostDoes) {
  const Problem problem = problem_of(sample_call(16)).value();
  EXPECT_EQ(to_string(problem), "mm f32 16x16x16 nn ld-aligned align=4");
}

}  // namespace
}  // namespace triode::tuner
