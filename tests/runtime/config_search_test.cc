// SPDX-License-Identifier: Apache-2.0
#include "runtime/search/config_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/status_matchers.h"
#include "tests/runtime/fake_device.h"
#include "tests/runtime/fake_operands.h"

namespace triode {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigSearchTest : public ::testing::Test {
 protected:
  Config config(int32_t x, int32_t y) const { return four(x, y, 1, 0); }
  static Config four(int32_t x, int32_t y, int32_t threads, int32_t split) {
    Config made(4);
    made[0] = x;
    made[1] = y;
    made[2] = threads;
    made[3] = split;
    return made;
  }

  Result<SearchResult> search(const std::vector<Config>& starts = {}) {
    const Space space = device.enumerate(problem).value();
    FakeOperands operands(problem);
    return search_configs(device, problem, space, starts, operands, options, clock);
  }

  FakeClock clock;
  FakeDevice device{clock};
  Problem problem = Problem::mm(DType::kF32, 2, 3, 4);
  SearchOptions options;
};

TEST_F(ConfigSearchTest, FindsTheFastestConfigOfASmallSpace) {
  const SearchResult found = search().take();
  EXPECT_EQ(found.finalists.front().config, config(7, 3));
  EXPECT_DOUBLE_EQ(found.finalists.front().median_ns, 1000);
}

TEST_F(ConfigSearchTest, FindsTheFastestConfigByMutationWithinABudgetThatCannotTryAll) {
  options.budget = milliseconds(25);
  const SearchResult found = search({config(5, 2)}).take();
  EXPECT_LT(found.stats.tried, 128);
  EXPECT_EQ(found.finalists.front().config, config(7, 3));
}

TEST_F(ConfigSearchTest, TriesTheStartsFirstAndInTheirOrder) {
  search({config(1, 1), config(2, 2)}).take();
  ASSERT_GE(device.built.size(), 2u);
  EXPECT_EQ(device.built[0], config(1, 1));
  EXPECT_EQ(device.built[1], config(2, 2));
}

TEST_F(ConfigSearchTest, TriesNoConfigTwiceBeforeTheFinals) {
  const SearchResult found = search({config(1, 1), config(1, 1)}).take();
  std::vector<Config> tried = found.tried;
  std::sort(tried.begin(), tried.end());
  EXPECT_EQ(std::adjacent_find(tried.begin(), tried.end()), tried.end());
}

TEST_F(ConfigSearchTest, MakesTheSameChoicesForTheSameSeed) {
  const SearchResult first = search().take();
  const SearchResult second = search().take();
  EXPECT_EQ(first.tried, second.tried);
}

TEST_F(ConfigSearchTest, TriesOtherConfigsForAnotherSeed) {
  options.budget = milliseconds(10);
  const SearchResult first = search().take();
  options.seed = 2;
  const SearchResult second = search().take();
  EXPECT_NE(first.tried, second.tried);
}

TEST_F(ConfigSearchTest, NeverChoosesAConfigWithAWrongResult) {
  device.wrong_x = {7};
  options.exhaustive = true;
  const SearchResult found = search().take();
  EXPECT_NE(found.finalists.front().config[0], 7);
  EXPECT_EQ(found.stats.outcomes.at(OutcomeKind::kWrongResult), 8);
}

TEST_F(ConfigSearchTest, CountsFailuresByOutcomeAndKeepsTheirReasons) {
  device.uncompilable_x = {0, 1};
  options.exhaustive = true;
  const SearchResult found = search().take();
  EXPECT_EQ(found.stats.outcomes.at(OutcomeKind::kCompileFailed), 16);
  EXPECT_EQ(found.stats.outcomes.at(OutcomeKind::kOk), 112);
  EXPECT_THAT(found.stats.failures.front(), HasSubstr("compile-failed, x is too hard"));
}

TEST_F(ConfigSearchTest, TellsWantOfMemoryFromConfigsThatDoNotWork) {
  device.uncompilable_x = {0};
  device.too_large_x = {1};
  device.greedy_x = {2, 3};
  options.exhaustive = true;
  const SearchResult found = search().take();
  EXPECT_EQ(found.stats.outcomes.at(OutcomeKind::kCompileFailed), 8);
  EXPECT_EQ(found.stats.outcomes.at(OutcomeKind::kOutOfMemory), 24);
  EXPECT_EQ(found.stats.outcomes.count(OutcomeKind::kLaunchFailed), 0u);
}

TEST_F(ConfigSearchTest, FailsWithTheReasonsWhenNoConfigWorks) {
  for (int32_t x = 0; x < 16; ++x) device.uncompilable_x.insert(x);
  EXPECT_THAT(search(), FailsWith(StatusCode::kUnsupported, HasSubstr("x is too hard")));
}

TEST_F(ConfigSearchTest, TriesEveryLegalConfigWhenExhaustive) {
  options.exhaustive = true;
  options.budget = microseconds(1);
  const SearchResult found = search().take();
  EXPECT_EQ(found.stats.tried, 128);
  EXPECT_EQ(found.stats.random_ns.size(), 128u);
  EXPECT_EQ(found.finalists.front().config, config(7, 3));
}

TEST_F(ConfigSearchTest, TakesRandomSamplesEvenWhenTheBudgetIsSpent) {
  options.budget = microseconds(1);
  const SearchResult found = search().take();
  EXPECT_EQ(found.stats.random_ns.size(), 8u);
}

TEST_F(ConfigSearchTest, UsesItsBudgetWhenTheNeighboursOfTheBestAreUsedUp) {
  device.idle_parameters = 4;  // 10,368 legal configs, most more than two changes from the best
  options.budget = std::chrono::seconds(60);
  EXPECT_GT(search().take().stats.tried, 9000);
}

TEST_F(ConfigSearchTest, EndsNearItsBudget) {
  options.budget = milliseconds(50);
  const SearchResult found = search().take();
  EXPECT_LT(found.stats.spent, milliseconds(60));
}

TEST_F(ConfigSearchTest, RanksFinalistsByTheirOwnSamples) {
  const SearchResult found = search().take();
  for (const RankedConfig& finalist : found.finalists) {
    EXPECT_GE(finalist.samples_ns.size(), 5u);
    EXPECT_LE(found.finalists.front().median_ns, finalist.median_ns);
  }
}

TEST_F(ConfigSearchTest, RunsAConfigOnceIfThatTookTwiceTheBest) {
  device.step = milliseconds(1);
  options.should_stop = [asked = 0]() mutable { return ++asked > 2; };
  search({config(7, 3), config(0, 3)}).take();
  // The best is checked and sampled three times; the other takes 8 ms.
  EXPECT_EQ(clock.now(), 2 * microseconds(10) + 4 * milliseconds(1) + milliseconds(8));
}

TEST_F(ConfigSearchTest, RunsALongConfigOnceIfThatTookAThirdMoreThanTheBest) {
  device.step = milliseconds(6);
  options.should_stop = [asked = 0]() mutable { return ++asked > 2; };
  search({config(5, 3), config(4, 3)}).take();
  // The best is checked and sampled twice at 18 ms.
  EXPECT_EQ(clock.now(), 2 * microseconds(10) + 3 * milliseconds(18) + milliseconds(24));
}

TEST_F(ConfigSearchTest, SamplesLongCallsTwice) {
  device.step = milliseconds(6);
  options.should_stop = [asked = 0]() mutable { return ++asked > 1; };
  search({config(7, 3)}).take();
  EXPECT_EQ(clock.now(), microseconds(10) + 3 * milliseconds(6));
}

TEST_F(ConfigSearchTest, StopsWithTheBestOfWhatItTried) {
  options.should_stop = [this] { return device.built.size() == 3; };
  const SearchResult found = search({config(1, 1), config(6, 3), config(2, 2)}).take();
  EXPECT_THAT(found.tried, ElementsAre(config(1, 1), config(6, 3), config(2, 2)));
  EXPECT_EQ(found.finalists.front().config, config(6, 3));
  EXPECT_DOUBLE_EQ(found.finalists.front().median_ns, 2000);
  EXPECT_THAT(found.finalists.front().samples_ns, IsEmpty());
}

TEST_F(ConfigSearchTest, StopsBetweenRandomSamplesAndBetweenMutations) {
  for (const size_t most : {4u, 40u}) {
    device.built.clear();
    options.should_stop = [this, most] { return device.built.size() == most; };
    EXPECT_EQ(search().take().stats.tried, static_cast<int64_t>(most));
  }
}

TEST_F(ConfigSearchTest, StopsAnExhaustiveSearch) {
  options.exhaustive = true;
  options.should_stop = [this] { return device.built.size() == 5; };
  EXPECT_EQ(search().take().stats.tried, 5);
}

TEST_F(ConfigSearchTest, StopsTheFinalsAfterARound) {
  options.exhaustive = true;
  options.should_stop = [this] { return device.built.size() > 128; };  // the finals build again
  const SearchResult found = search().take();
  EXPECT_EQ(found.finalists.front().config, config(7, 3));
  for (const RankedConfig& finalist : found.finalists) EXPECT_EQ(finalist.samples_ns.size(), 1u);
}

TEST_F(ConfigSearchTest, RanksByQuickTimesWhenNoFinalistIsBuiltAgain) {
  options.exhaustive = true;
  device.most_built = 128;  // all are tried, and none is left for the finals
  const SearchResult found = search().take();
  EXPECT_EQ(found.finalists.front().config, config(7, 3));
  EXPECT_DOUBLE_EQ(found.finalists.front().median_ns, 1000);
  EXPECT_THAT(found.finalists.front().samples_ns, IsEmpty());
  EXPECT_EQ(found.trials.size(), 128u);
}

TEST_F(ConfigSearchTest, IsNotAskedAgainOnceStopped) {
  int asked = 0;
  options.should_stop = [&asked] { return ++asked == 3; };
  search().take();
  EXPECT_EQ(asked, 3);
}

TEST_F(ConfigSearchTest, IsUnavailableWhenStoppedBeforeAnythingWorked) {
  device.wrong_x = {1, 2};
  options.should_stop = [this] { return device.built.size() == 2; };
  EXPECT_THAT(search({config(1, 1), config(2, 2)}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("stopped after 2 configs")));
}

TEST_F(ConfigSearchTest, SpreadsConfigsOverThreadsWithEverySplit) {
  problem.threads = 4;
  const Space space = device.enumerate(problem).value();
  const std::vector<Config> single = {config(7, 3)};
  EXPECT_THAT(spread_over_threads(space, single, 4),
              ElementsAre(four(7, 3, 4, 0), four(7, 3, 4, 1), four(7, 3, 4, 2)));
}

TEST_F(ConfigSearchTest, LeavesOutThreadedConfigsThatAreNotLegal) {
  const Space space = device.enumerate(problem).value();
  const std::vector<Config> single = {config(7, 3)};
  EXPECT_TRUE(spread_over_threads(space, single, 4).empty());
}

}  // namespace
}  // namespace triode
