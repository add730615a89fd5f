// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class CacheContestTest
    : public ::testing::TestWithParam<std::unique_ptr<CacheContestant> (*)(const std::string&)> {
 protected:
  const TemporaryFolder folder;
  const std::unique_ptr<CacheContestant> contestant = GetParam()(folder.path().string());
};

TEST_P(CacheContestTest, FindsWhatWasWrittenAfterCompactingAndReopening) {
  const CacheWorkload workload(1, 500);
  ASSERT_TRUE(contestant->open().ok());
  ASSERT_TRUE(contestant->write(workload.batch(0, 500)).ok());
  ASSERT_TRUE(contestant->compact().ok());
  contestant->close();
  ASSERT_TRUE(contestant->open().ok());
  for (const int64_t number : {0, 199, 200, 499}) {
    const KeyedTrial trial = workload.trial(number);
    EXPECT_NEAR(contestant->get(trial.key).take(), trial.record.measurement.median_ns,
                1e-5 * trial.record.measurement.median_ns);
  }
  EXPECT_GT(contestant->disk_bytes(), 0);
  contestant->close();
}

TEST(OwnCache, LiesWhereTheCacheCommandLooks) {
  const TemporaryFolder folder;
  const std::unique_ptr<CacheContestant> own = make_own_cache(folder.path().string());
  ASSERT_TRUE(own->open().ok());
  own->close();
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "store" / "CURRENT"));
}

TEST_P(CacheContestTest, SaysWhatIsNotThere) {
  ASSERT_TRUE(contestant->open().ok());
  EXPECT_THAT(contestant->get(CacheWorkload(1, 10).trial(1).key),
              FailsWith(StatusCode::kNotFound, HasSubstr("")));
  contestant->close();
}

TEST_P(CacheContestTest, TakesEverySampleAskedFor) {
  CacheOptions options;
  options.batch = 100;
  options.gets = 100;
  options.openings = 2;
  const CacheFigures figures =
      measure_cache(*contestant, CacheWorkload(1, 250), options, [](const std::string&) {}).take();
  EXPECT_THAT(figures.batch_s, SizeIs(3));
  EXPECT_THAT(figures.get_us, SizeIs(100));
  EXPECT_THAT(figures.opening_ms, SizeIs(2));
}

INSTANTIATE_TEST_SUITE_P(All, CacheContestTest,
                         ::testing::Values(make_own_cache, make_sqlite_cache, make_csv_cache));

TEST(CacheSummary, IsRecordsOverTimeAndPercentiles) {
  CacheFigures figures;
  figures.batch_s = {1, 1, 2};
  figures.opening_ms = {5, 1, 3};
  for (int i = 0; i <= 100; ++i) figures.get_us.push_back(i);
  figures.disk_bytes = 4000;
  const CacheSummary summary = summarize(figures, 400);
  EXPECT_EQ(summary.records_per_s, 100);
  EXPECT_EQ(summary.get_p50_us, 50);
  EXPECT_EQ(summary.get_p99_us, 99);
  EXPECT_EQ(summary.open_ms, 3);
  EXPECT_EQ(summary.bytes_per_record, 10);
}

TEST(CacheWorkload, TheSeedDecidesEveryTrialAndNoTwoShareAKey) {
  const CacheWorkload workload(3, 1000);
  EXPECT_EQ(workload.trial(7), CacheWorkload(3, 1000).trial(7));
  EXPECT_NE(workload.trial(7).record, CacheWorkload(4, 1000).trial(7).record);
  for (int64_t i = 0; i < 199; ++i) {
    EXPECT_NE(workload.trial(i).key.config, workload.trial(i + 1).key.config);
  }
}

}  // namespace
}  // namespace triode::bench
