// SPDX-License-Identifier: Apache-2.0
#include "cache/summary_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "cache/cache.h"
#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/summary_codec.h"
#include "tests/cache/filled_cache.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

KeyedTrial made(int64_t number, const std::string& toolchain, OutcomeKind outcome) {
  KeyedTrial trial = numbered_trial(number);
  trial.key.validity.toolchain = toolchain;
  trial.record.outcome.kind = outcome;
  return trial;
}

// Problems with all that a filter can tell apart.
std::vector<KeyedTrial> mixed_trials() {
  std::vector<KeyedTrial> trials;
  for (int64_t number = 0; number < 500; ++number) {
    trials.push_back(made(number, number % 3 == 0 ? "old" : "new",
                          number % 7 == 0 ? OutcomeKind::kCrashed : OutcomeKind::kOk));
    if (number % 5 == 0) trials.back().record.vendor = VendorTime{2500, 1.25, 0.01};
    if (number % 11 == 0) trials.back().record.origin = "tunableop";
    if (number % 50 == 1) trials.back().key.config = "vendor openblas";
    if (number >= 400) trials.back().key.device = "another\n|cpu";
  }
  return trials;
}

class SummaryIndexTest : public ::testing::Test {
 protected:
  void open(StoreMode mode = StoreMode::kReadWrite) {
    cache.reset();
    cache = Cache::open(path, {.mode = mode}).take();
  }
  void append(const std::vector<KeyedTrial>& trials) {
    ASSERT_TRUE(cache->measurements().append(trials).ok());
  }
  std::vector<ProblemSummary> ask(const TrialFilter& filter = {}) {
    std::vector<ProblemSummary> found;
    counts = cache->measurements()
                 .summaries(filter,
                            [&](const ProblemSummary& problem) {
                              found.push_back(problem);
                              return true;
                            })
                 .take();
    return found;
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  std::unique_ptr<Cache> cache = Cache::open(path, {}).take();
  SummaryCounts counts;  // of the last question
};

std::vector<TrialFilter> filters() {
  return {{},
          {.device = "ANOTHER"},
          {.dtype = DType::kF64},
          {.m = {2, 3}},
          {.outcome = OutcomeKind::kCrashed},
          {.outcome = OutcomeKind::kTimedOut},
          {.toolchain = "ol"},
          {.origin = ""},
          {.outcome = OutcomeKind::kOk, .toolchain = "new", .origin = "tunableop"}};
}

TEST_F(SummaryIndexTest, AnswersFromSummariesWhatTheRecordsSay) {
  append(mixed_trials());
  std::vector<std::vector<ProblemSummary>> from_records;
  for (const TrialFilter& filter : filters()) from_records.push_back(ask(filter));
  ASSERT_THAT(from_records[0], SizeIs(5));
  EXPECT_THAT(from_records[1], SizeIs(1));
  EXPECT_THAT(from_records[5], IsEmpty());
  ASSERT_TRUE(summarize(*cache).ok());
  for (size_t i = 0; i < filters().size(); ++i) {
    EXPECT_EQ(ask(filters()[i]), from_records[i]) << i;
    EXPECT_EQ(counts.records_read, 0);
  }
}

TEST_F(SummaryIndexTest, SaysWhatIsKnownOfAProblem) {
  std::vector<KeyedTrial> trials = {made(0, "a", OutcomeKind::kOk), made(1, "b", OutcomeKind::kOk),
                                    made(2, "a", OutcomeKind::kWrongResult),
                                    made(3, "a", OutcomeKind::kOk)};
  trials[0].record.measurement.median_ns = 300;
  trials[1].record.measurement.median_ns = 200;
  trials[1].record.vendor = VendorTime{500, 2.5, 0};
  trials[2].record.measurement.median_ns = 1;
  trials[3].record.measurement.median_ns = 600;
  trials[3].key.config = "vendor openblas";
  append(trials);
  const ProblemSummary all = ask().at(0);
  EXPECT_EQ(std::tuple(all.configs, all.failed, all.best_ns, all.best_config),
            std::tuple(4, 1, 200.0, "number=1"));
  EXPECT_EQ(std::tuple(all.vendor_ns, all.speedup), std::tuple(500.0, 2.5));
  EXPECT_EQ(all.latest_unix_s, trials[3].record.when_unix_s);
  const ProblemSummary of_a = ask({.toolchain = "a"}).at(0);
  EXPECT_EQ(std::tuple(of_a.configs, of_a.best_ns, of_a.vendor_ns, of_a.speedup),
            std::tuple(3, 300.0, 600.0, 2.0));
}

TEST_F(SummaryIndexTest, KnowsTheVendorsTimeThoughTheBestConfigWasTimedAlone) {
  std::vector<KeyedTrial> trials = {made(0, "a", OutcomeKind::kOk), made(1, "a", OutcomeKind::kOk),
                                    made(2, "a", OutcomeKind::kOk)};
  for (size_t i = 0; i < trials.size(); ++i) {
    trials[i].record.measurement.median_ns = 100.0 * static_cast<double>(i + 1);
  }
  trials[1].record.vendor = VendorTime{300, 1.5, 0};
  trials[2].record.vendor = VendorTime{360, 1.2, 0};
  append(trials);
  const auto expect = [this] {
    const ProblemSummary summary = ask().at(0);
    EXPECT_EQ(std::tuple(summary.best_ns, summary.vendor_ns, summary.speedup),
              std::tuple(100.0, 300.0, 1.5));
  };
  expect();
  ASSERT_TRUE(summarize(*cache).ok());
  expect();
  EXPECT_EQ(counts.records_read, 0);
}

TEST_F(SummaryIndexTest, AWriteCostsTheSummaryOfItsProblemAlone) {
  put_numbered(*cache, 0, 300);
  ASSERT_TRUE(summarize(*cache).ok());
  put_numbered(*cache, 300, 350);
  put_numbered(*cache, 0, 1);
  EXPECT_THAT(ask(), SizeIs(4));
  EXPECT_EQ(counts.records_read, 101 + 50);
}

TEST_F(SummaryIndexTest, AWriterSummarizesWhenItCloses) {
  put_numbered(*cache, 0, 300);
  open(StoreMode::kReadOnly);
  EXPECT_THAT(ask(), SizeIs(3));
  EXPECT_EQ(counts.records_read, 0);
}

TEST_F(SummaryIndexTest, ForgetsProblemsWhoseRecordsWerePruned) {
  append(mixed_trials());
  ASSERT_TRUE(summarize(*cache).ok());
  ASSERT_TRUE(prune(*cache, {.device = "another"}).ok());
  EXPECT_THAT(ask(), SizeIs(4));
  ASSERT_TRUE(summarize(*cache).ok());
  EXPECT_THAT(ask(), SizeIs(4));
  EXPECT_EQ(counts.records_read, 0);
}

TEST_F(SummaryIndexTest, ReadsTheRecordsWhereASummaryIsDamaged) {
  put_numbered(*cache, 0, 300);
  const std::vector<ProblemSummary> before = ask();
  cache.reset();
  raw_put(path, "summaries", raw_keys(path, "summaries").front(), "nonsense");
  open();
  EXPECT_EQ(verify(*cache).take().damaged, 1);
  EXPECT_EQ(ask(), before);
  EXPECT_EQ(counts.records_read, 100);
}

TEST_F(SummaryIndexTest, MeetsDamagedRecordsEveryTime) {
  put_numbered(*cache, 0, 200);
  cache.reset();
  raw_put(path, "measurements", raw_keys(path, "measurements").front(), "nonsense");
  open();
  put_numbered(*cache, 1, 2);  // marks the problem, which nobody else has
  ASSERT_TRUE(summarize(*cache).ok());
  EXPECT_THAT(ask(), SizeIs(2));
  EXPECT_EQ(counts.damaged, 1);
}

TEST_F(SummaryIndexTest, IsMadeForACacheThatHasNone) {
  put_numbered(*cache, 0, 300);
  const std::vector<ProblemSummary> before = ask();
  cache.reset();
  for (const std::string& key : raw_keys(path, "summaries")) raw_delete(path, "summaries", key);
  raw_put(path, "meta", "schema_version", "2");
  open();
  EXPECT_EQ(ask(), before);
  EXPECT_EQ(counts.records_read, 300);
}

TEST_F(SummaryIndexTest, IsMadeAnewByARepair) {
  put_numbered(*cache, 0, 300);
  const std::vector<ProblemSummary> before = ask();
  cache.reset();
  for (const std::string& key : raw_keys(path, "summaries")) raw_delete(path, "summaries", key);
  ASSERT_TRUE(repair_cache(path).ok());
  open();
  EXPECT_EQ(ask(), before);
  EXPECT_EQ(counts.records_read, 0);
}

TEST_F(SummaryIndexTest, WritesNothingThatWasReadBeforeSomebodyElseWrote) {
  put_numbered(*cache, 0, 1);
  Database& database = cache->database();
  const uint64_t writes = database.writes();
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(mark_stale(database, "device\nproblem\n", batch).ok());
  put_numbered(*cache, 1, 2);
  EXPECT_FALSE(database.write_if_unchanged(batch, writes).take());
  EXPECT_THAT(database.get(Family::kSummaries, "device\nproblem\n").take(), std::nullopt);
  EXPECT_TRUE(database.write_if_unchanged(batch, database.writes()).take());
  EXPECT_NE(database.get(Family::kSummaries, "device\nproblem\n").take(), std::nullopt);
}

TEST_F(SummaryIndexTest, MissesNothingThatIsWrittenMeanwhile) {
  constexpr int64_t kTrials = 2000;
  std::thread writer([&] {
    for (int64_t number = 0; number < kTrials; ++number) put_numbered(*cache, number, number + 1);
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(summarize(*cache).ok());
  writer.join();
  int64_t configs = 0;
  for (const ProblemSummary& problem : ask()) configs += problem.configs;
  EXPECT_EQ(configs, kTrials);
}

TEST(SummaryCodec, ReadsWhatItWrote) {
  const std::string prefix = problem_prefix("a\ndevice", "mm f32 1x2x3 nn");
  SummaryPart part = {.toolchain = "tool\nchain\\",
                      .origin = "tunableop",
                      .outcome = OutcomeKind::kOk,
                      .configs = 3,
                      .latest_unix_s = 1'800'000'000,
                      .best_ns = 1.0 / 3,
                      .best_config = "x=1",
                      .paired_ns = 4,
                      .paired_vendor_ns = 7,
                      .paired_speedup = 21,
                      .vendor_ns = 6.5};
  EXPECT_EQ(decode_summary_part(summary_part_key(prefix, part), encode_summary_part(part)).take(),
            part);
  part = {.toolchain = {}, .origin = {}, .outcome = OutcomeKind::kTimedOut, .configs = 1};
  EXPECT_EQ(decode_summary_part(summary_part_key(prefix, part), encode_summary_part(part)).take(),
            part);
}

TEST(SummaryCodec, RefusesWhatItDidNotWrite) {
  const SummaryPart part = {.toolchain = "t", .configs = 1};
  const std::string key = summary_part_key("device\nproblem\n", part);
  EXPECT_FALSE(decode_summary_part("device\nproblem\n", encode_stale_mark()).ok());
  EXPECT_FALSE(decode_summary_part("device\nproblem\nt\n\nlate", encode_summary_part(part)).ok());
  EXPECT_FALSE(decode_summary_part(key, encode_stale_mark()).ok());
  EXPECT_FALSE(decode_summary_part(key, encode_summary_part({.best_ns = -1})).ok());
  EXPECT_TRUE(check_summary_record("device\nproblem\n", encode_stale_mark()).ok());
  EXPECT_FALSE(check_summary_record("device\nproblem\n", "nonsense").ok());
}

}  // namespace
}  // namespace triode
