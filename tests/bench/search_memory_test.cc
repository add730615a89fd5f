// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/search_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/search/config_search.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/fake_device.h"
#include "tests/runtime/temporary_folder.h"
#include "tools/bench/test_case.h"

namespace triode::bench {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class SearchMemoryTest : public ::testing::Test {
 protected:
  SearchResult search(const std::vector<Config>& starts) {
    device.built.clear();
    auto test_case = TestCase::make(problem, 1);
    return search_configs(device, problem, space, starts, **test_case, options, clock).take();
  }

  Status keep(const SearchResult& found) {
    return memory.keep(problem, space, found.trials, 1'800'000'000);
  }

  const TemporaryFolder folder;
  FakeClock clock;
  FakeDevice device{clock};
  const Problem problem = Problem::mm(DType::kF32, 2, 3, 4);
  const Space space = device.enumerate(problem).take();
  SearchOptions options;
  std::unique_ptr<MeasurementStore> store =
      MeasurementStore::open(folder.path() / "cache", StoreMode::kReadWrite).take();
  SearchMemory memory{*store, device.target()};
};

TEST_F(SearchMemoryTest, KnowsNothingOfANewProblem) {
  EXPECT_THAT(memory.best_known(problem, space).take(), IsEmpty());
}

TEST_F(SearchMemoryTest, StartsASecondSearchFromTheBestOfTheFirst) {
  const SearchResult first = search({});
  ASSERT_TRUE(keep(first).ok());
  search(memory.best_known(problem, space).take());
  EXPECT_EQ(device.built.front(), first.finalists.front().config);
}

TEST_F(SearchMemoryTest, GivesAFewDozenOfManyKnownConfigs) {
  options.exhaustive = true;
  ASSERT_TRUE(keep(search({})).ok());
  EXPECT_THAT(memory.best_known(problem, space).take(), SizeIs(36));
}

TEST_F(SearchMemoryTest, KeepsEveryTrialWithItsOutcome) {
  options.exhaustive = true;
  device.uncompilable_x = {0};
  const SearchResult found = search({});
  ASSERT_TRUE(keep(found).ok());
  EXPECT_EQ(store->count().take().records, found.stats.tried);
  const FoundTrials stored = store->find(device.target(), problem).take();
  EXPECT_EQ(stored.trials.back().record.outcome.reason, "x is too hard");
  EXPECT_EQ(stored.trials.back().record.measurement.count, 0);
}

TEST_F(SearchMemoryTest, KeepsTheFinalSamplesOfFinalists) {
  const SearchResult found = search({});
  ASSERT_TRUE(keep(found).ok());
  const FoundTrials stored = store->find(device.target(), problem).take();
  EXPECT_EQ(stored.trials.front().record.measurement.count,
            static_cast<int32_t>(found.finalists.front().samples_ns.size()));
}

TEST_F(SearchMemoryTest, NeverStartsFromAConfigThatFailed) {
  ASSERT_TRUE(memory
                  .keep(problem, space,
                        std::vector<Trial>{{space.at(0), {OutcomeKind::kWrongResult, "wrong"}, {}}},
                        0)
                  .ok());
  EXPECT_THAT(memory.best_known(problem, space).take(), IsEmpty());
}

TEST_F(SearchMemoryTest, PassesOverConfigsThatTheSpaceNoLongerHas) {
  ASSERT_TRUE(keep(search({})).ok());
  Space changed;
  changed.add({"z", {0, 1}, {}});
  EXPECT_THAT(memory.best_known(problem, changed).take(), IsEmpty());
}

TEST_F(SearchMemoryTest, LeavesAsideWhatAnotherToolchainMeasured) {
  ASSERT_TRUE(keep(search({})).ok());
  Target newer = device.target();
  newer.toolchain = "emitter 2";
  EXPECT_THAT(SearchMemory(*store, newer).best_known(problem, space).take(), IsEmpty());
}

}  // namespace
}  // namespace triode::bench
