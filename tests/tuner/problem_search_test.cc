// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/problem_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/core/status_matchers.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ProblemSearchTest : public ::testing::Test {
 protected:
  Result<SearchedProblem> search() {
    return search_problem(call_, problem_, space_, known_, ranker_, runner_, clock_, options_);
  }

  Config config_at(int32_t x, int32_t y) const {
    return space_.parse("x=" + std::to_string(x) + " y=" + std::to_string(y)).value();
  }

  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  const TunedCall call_{sample_call(16), sample_target()};
  const Problem problem_ = Problem::mm(DType::kF32, 16, 16, 16);
  const Space space_ = model_space();
  std::vector<Trial> known_;
  ProblemSearchOptions options_;
};

TEST_F(ProblemSearchTest, FindsTheFastestAndSaysWhatItBeat) {
  const SearchedProblem found = search().value();
  ASSERT_TRUE(found.plan.has_value());
  EXPECT_EQ(found.plan->config, "x=7 y=3");
  EXPECT_EQ(found.plan->vendor, "libblas.so 12ab cblas_sgemm");
  EXPECT_EQ(found.plan->code_digest, 703u);
  EXPECT_DOUBLE_EQ(found.plan->speedup, 8);
  EXPECT_EQ(found.trials, 40u);
}

TEST_F(ProblemSearchTest, LeavesItToAVendorThatIsFaster) {
  runner_.vendor_us = 0.9;
  EXPECT_FALSE(search().value().plan.has_value());
}

TEST_F(ProblemSearchTest, LeavesItToAVendorThatIsHardlySlower) {
  runner_.vendor_us = 1.015;
  EXPECT_FALSE(search().value().plan.has_value());
}

TEST_F(ProblemSearchTest, RacesNoneThatIsHopeless) {
  runner_.vendor_us = 0.5;
  EXPECT_FALSE(search().value().plan.has_value());
  EXPECT_THAT(runner_.raced, IsEmpty());
}

TEST_F(ProblemSearchTest, BelievesNoWinThatASecondRaceDoesNotConfirm) {
  runner_.vendor_us = 1;
  runner_.first_race_flatters = 1.3;
  const SearchedProblem found = search().value();
  EXPECT_FALSE(found.plan.has_value());
  EXPECT_GE(runner_.raced.size(), 2u);
}

TEST_F(ProblemSearchTest, RacesASuspiciousWinOnceMore) {
  runner_.vendor_us = 20;
  ASSERT_TRUE(search().value().plan.has_value());
  EXPECT_EQ(std::count(runner_.raced.begin(), runner_.raced.end(), "x=7 y=3"), 3);
}

TEST_F(ProblemSearchTest, BelievesNoSuspiciousWinThatTheThirdRaceDoesNotConfirm) {
  runner_.vendor_us = 1;
  runner_.first_race_flatters = 20;
  runner_.flattered_races = 2;
  EXPECT_FALSE(search().value().plan.has_value());
  EXPECT_EQ(std::count(runner_.raced.begin(), runner_.raced.end(), "x=7 y=3"), 3);
}

TEST_F(ProblemSearchTest, KeepsNothingOfATrialThatWasCalledOff) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kUnstable}};
  options_.should_stop = [this] { return !runner_.tried.empty(); };
  int told = 0;
  options_.on_trial = [&](const Trial&) { ++told; };
  EXPECT_EQ(search().status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(runner_.tried, SizeIs(1));
  EXPECT_EQ(told, 0);
}

TEST_F(ProblemSearchTest, PassesOverWhatEndsBadlyAndTellsOfIt) {
  runner_.outcomes_by_x = {{7, OutcomeKind::kCrashed}, {6, OutcomeKind::kWrongResult}};
  std::vector<OutcomeKind> told;
  options_.on_trial = [&](const Trial& trial) { told.push_back(trial.outcome.kind); };
  EXPECT_EQ(search().value().plan->config, "x=8 y=3");
  EXPECT_EQ(std::count(told.begin(), told.end(), OutcomeKind::kCrashed), 4);
  EXPECT_EQ(std::count(told.begin(), told.end(), OutcomeKind::kWrongResult), 4);
  EXPECT_THAT(ranker_.learnt, SizeIs(40));
}

TEST_F(ProblemSearchTest, PublishesNothingThatFailsTheCheckBeforeARace) {
  runner_.race_outcomes_by_x = {{7, OutcomeKind::kWrongResult}};
  std::vector<Trial> told;
  options_.on_trial = [&](const Trial& trial) { told.push_back(trial); };
  const SearchedProblem found = search().value();
  EXPECT_TRUE(!found.plan || !found.plan->config.starts_with("x=7"));
  EXPECT_EQ(told.back().outcome.kind, OutcomeKind::kWrongResult);
}

TEST_F(ProblemSearchTest, NeverTriesAgainWhatHasCrashed) {
  for (const int32_t x : {7, 6}) {
    for (const int32_t y : {0, 1, 2, 3}) {
      known_.push_back({config_at(x, y), {OutcomeKind::kCrashed, "then"}, {}});
    }
  }
  EXPECT_EQ(search().value().plan->config, "x=8 y=3");
  EXPECT_THAT(runner_.tried, Not(Contains(StartsWith("x=7"))));
  EXPECT_THAT(runner_.tried, Not(Contains(StartsWith("x=6"))));
}

TEST_F(ProblemSearchTest, SaysNothingOfAConfigWhoseCompilerWasNotThere) {
  std::vector<Trial> told;
  options_.on_trial = [&](const Trial& trial) { told.push_back(trial); };
  options_.emit = [&](std::span<const Config> configs) {
    std::vector<Result<uint64_t>> digests;
    for (const Config& config : configs) {
      const std::string text = space_.to_string(config);
      if (text == "x=7 y=3") {
        digests.emplace_back(unavailable("it did not answer in time"));
      } else {
        digests.emplace_back(std::hash<std::string>()(text));
      }
    }
    return digests;
  };
  EXPECT_NE(search().value().plan->config, "x=7 y=3");
  EXPECT_THAT(told, SizeIs(39));
  EXPECT_THAT(ranker_.learnt, SizeIs(39));
}

TEST_F(ProblemSearchTest, EndsWithoutACompiler) {
  options_.on_trial = [](const Trial&) { ADD_FAILURE() << "nothing was tried"; };
  options_.emit = [](std::span<const Config> configs) {
    return std::vector(configs.size(), Result<uint64_t>(unavailable("no Python")));
  };
  EXPECT_THAT(search(), FailsWith(StatusCode::kUnavailable, HasSubstr("no Python")));
}

TEST_F(ProblemSearchTest, TriesHintsFirstWhereNothingIsKnown) {
  options_.hints = {config_at(7, 2), config_at(6, 3)};
  const SearchedProblem found = search().value();
  ASSERT_GE(runner_.tried.size(), 40u);
  EXPECT_EQ(runner_.tried[0], "x=7 y=2");
  EXPECT_EQ(runner_.tried[1], "x=6 y=3");
  EXPECT_EQ(found.plan->config, "x=7 y=3") << "and believes its own trials";
}

TEST_F(ProblemSearchTest, NeedsNoHintsWhereSomethingIsKnown) {
  known_ = {{config_at(7, 3), {}, {1000, 1000, 0, 3}}};
  options_.hints = {config_at(5, 1)};
  ASSERT_TRUE(search().ok());
  EXPECT_EQ(runner_.tried[0], "x=7 y=3");
  EXPECT_EQ(runner_.tried[1], "x=0 y=0");
}

TEST_F(ProblemSearchTest, TriesFirstWhatWasFastBefore) {
  const auto with_ns = [](double ns) { return Measurement{ns, ns, 0, 3}; };
  known_ = {{config_at(7, 2), {}, with_ns(2000)}, {config_at(7, 3), {}, with_ns(1000)}};
  ASSERT_TRUE(search().ok());
  EXPECT_EQ(runner_.tried[0], "x=7 y=3");
  EXPECT_EQ(runner_.tried[1], "x=7 y=2");
}

TEST_F(ProblemSearchTest, EndsWithItsBudget) {
  options_.budget = std::chrono::milliseconds(20);
  EXPECT_LE(search().value().trials, 13u);
}

TEST_F(ProblemSearchTest, SaysWhenNoRaceWasFair) {
  runner_.disturbed_races = 100;
  const SearchedProblem found = search().value();
  EXPECT_FALSE(found.plan.has_value());
  EXPECT_TRUE(found.was_disturbed);
}

TEST_F(ProblemSearchTest, RunsADisturbedRaceAgain) {
  runner_.disturbed_races = 1;
  EXPECT_TRUE(search().value().plan.has_value());
}

TEST_F(ProblemSearchTest, StopsBetweenTrials) {
  options_.should_stop = [this] { return runner_.tried.size() >= 5; };
  EXPECT_THAT(search(), FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
  EXPECT_THAT(runner_.tried, SizeIs(5));
}

TEST_F(ProblemSearchTest, PassesOnWhyACallCannotBeTried) {
  runner_.refuses = unsupported("no such library");
  EXPECT_THAT(search(), FailsWith(StatusCode::kUnsupported, "no such library"));
}

TEST_F(ProblemSearchTest, TriesCodeOnceThatManyConfigsBecome) {
  options_.emit = [](std::span<const Config> configs) {
    std::vector<Result<uint64_t>> digests;
    for (const Config& config : configs) digests.emplace_back(uint64_t(config[0]));
    return digests;
  };
  const SearchedProblem found = search().value();
  EXPECT_THAT(runner_.tried, SizeIs(10));
  EXPECT_EQ(found.trials, 10u);
  EXPECT_EQ(found.twins, 30u);
  EXPECT_EQ(found.plan->config, "x=7 y=0");
}

TEST_F(ProblemSearchTest, TellsOfWhatDoesNotCompileAndTriesItNot) {
  options_.emit = [](std::span<const Config> configs) {
    std::vector<Result<uint64_t>> digests;
    for (const Config& config : configs) {
      digests.push_back(config[0] == 7 ? Result<uint64_t>(unsupported("no registers left"))
                                       : uint64_t(100 * config[0] + config[1]));
    }
    return digests;
  };
  std::vector<Trial> failed;
  options_.on_trial = [&](const Trial& trial) {
    if (!trial.outcome.ok()) failed.push_back(trial);
  };
  EXPECT_EQ(search().value().plan->config, "x=6 y=3");
  ASSERT_THAT(failed, SizeIs(4));
  EXPECT_EQ(failed[0].outcome.kind, OutcomeKind::kCompileFailed);
  EXPECT_EQ(failed[0].outcome.reason, "no registers left");
  EXPECT_THAT(runner_.tried, Not(Contains(StartsWith("x=7"))));
}

TEST_F(ProblemSearchTest, SameAnswersGiveTheSamePlan) {
  const StoredPlan first = *search().value().plan;
  FakeClock clock;
  ModelRunner runner(clock);
  GridRanker ranker;
  EXPECT_EQ(
      *search_problem(call_, problem_, space_, {}, ranker, runner, clock, options_).value().plan,
      first);
}

}  // namespace
}  // namespace triode::tuner
