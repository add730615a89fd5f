// SPDX-License-Identifier: Apache-2.0
#include "cache/maintenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "cache/cache.h"
#include "cache/fold.h"
#include "cache/key_codec.h"
#include "tests/cache/filled_cache.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class MaintenanceTest : public ::testing::Test {
 protected:
  void open(const StoreOptions& options = {}) {
    cache.reset();
    cache = Cache::open(path, options).take();
  }

  // Damages a record of each family that a test may want damaged.
  void damage(const std::string& family, const std::string& value) {
    cache.reset();
    const std::string key = raw_keys(path, family).front();
    raw_put(path, family, key, value);
    open();
  }

  void append(KeyedTrial trial) { ASSERT_TRUE(cache->measurements().append({&trial, 1}).ok()); }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
  std::unique_ptr<Cache> cache = Cache::open(path, {}).take();
};

TEST_F(MaintenanceTest, VerifyFindsNothingWrongWithAFilledCache) {
  put_numbered(*cache, 0, 500);
  cache->artifacts().put(numbered_trial(1).key, "code", {}, 1).take();
  ASSERT_TRUE(cache->models().promote(cache->models().put("cpu", "a model", 1).take()).ok());
  ASSERT_TRUE(cache->plans()
                  .put({.device = "d",
                        .problem = Problem::mm(DType::kF32, 1, 1, 1),
                        .vendor = {},
                        .threads = 1,
                        .validity = {}},
                       {})
                  .ok());
  const VerifyReport report = verify(*cache).take();
  EXPECT_THAT(report.damages, IsEmpty());
  EXPECT_GE(report.records, 500 + 3 + 3 + 1 + 1);
}

TEST_F(MaintenanceTest, VerifyNamesADamagedRecordAndRepairMovesItAside) {
  put_numbered(*cache, 0, 10);
  damage("measurements", "nonsense");
  const VerifyReport report = verify(*cache).take();
  ASSERT_THAT(report.damages, SizeIs(1));
  EXPECT_EQ(report.damages[0].family, "measurements");
  EXPECT_THAT(report.damages[0].key, HasSubstr("number=0"));
  EXPECT_THAT(report.damages[0].reason, HasSubstr("damaged"));
  cache.reset();
  const RepairReport repaired = repair_cache(path).take();
  EXPECT_EQ(repaired.moved, 1);
  EXPECT_FALSE(repaired.is_rebuilt);
  EXPECT_THAT(raw_keys(path, "quarantine"), SizeIs(1));
  open();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  EXPECT_EQ(numbers_in(*cache).size(), 9u);
}

TEST_F(MaintenanceTest, VerifyChecksEveryFamily) {
  put_numbered(*cache, 0, 1);
  cache->artifacts().put(numbered_trial(1).key, "code", {}, 1).take();
  cache->models().put("cpu", "a model", 1).take();
  ASSERT_TRUE(cache->plans()
                  .put({.device = "d",
                        .problem = Problem::mm(DType::kF32, 1, 1, 1),
                        .vendor = {},
                        .threads = 1,
                        .validity = {}},
                       {})
                  .ok());
  for (const char* family : {"measurements", "artifacts", "models", "plans"}) {
    damage(family, "nonsense");
  }
  EXPECT_EQ(verify(*cache).take().damaged, 4);
}

TEST_F(MaintenanceTest, VerifyStopsWhenTold) {
  put_numbered(*cache, 0, 5000);
  EXPECT_THAT(verify(*cache, [](int64_t, int64_t) { return false; }),
              FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
}

TEST_F(MaintenanceTest, RepairLeavesARunningWriterAlone) {
  EXPECT_THAT(repair_cache(path), FailsWith(StatusCode::kUnavailable,
                                            HasSubstr("process " + std::to_string(getpid()))));
}

TEST_F(MaintenanceTest, RepairSaysWhenThereIsNothing) {
  EXPECT_THAT(repair_cache(path + "-none"),
              FailsWith(StatusCode::kNotFound, HasSubstr(path + "-none")));
}

TEST_F(MaintenanceTest, CompactFoldsTrialsOfOneKeyAndChangesNoAnswer) {
  for (int i = 0; i < 5; ++i) put_numbered(*cache, 0, 20);
  const SampleKey key = numbered_trial(7).key;
  const TrialRecord before = cache->measurements().get(key).take().value();
  const CompactReport report = compact(*cache).take();
  EXPECT_EQ(report.trials_before, 100);
  EXPECT_EQ(report.trials_after, 20);
  const TrialRecord after = cache->measurements().get(key).take().value();
  EXPECT_EQ(after.trials, before.trials);
  EXPECT_EQ(after.measurement, before.measurement);
  EXPECT_EQ(compact(*cache).take().trials_before, 20);
}

TEST_F(MaintenanceTest, CompactKeepsImportedTrialsAsTheyCame) {
  KeyedTrial imported = numbered_trial(1);
  imported.record.origin = "kernel-tuner";
  imported.record.extra = {{"times", "[1]"}};
  append(imported);
  append(numbered_trial(1));
  append(numbered_trial(1));
  EXPECT_EQ(compact(*cache).take().trials_after, 2);
  bool is_found = false;
  ASSERT_TRUE(cache->measurements()
                  .for_each_trial([&](const SampleKey&, const TrialRecord& record) {
                    is_found = is_found || record == imported.record;
                    return true;
                  })
                  .ok());
  EXPECT_TRUE(is_found);
}

TEST_F(MaintenanceTest, PruneDropsWhatIsNamedAndNothingElse) {
  put_numbered(*cache, 0, 10);
  KeyedTrial crashed = numbered_trial(100);
  crashed.record.outcome = {OutcomeKind::kCrashed, "signal"};
  append(crashed);
  KeyedTrial elsewhere = numbered_trial(101);
  elsewhere.key.device = "other gpu|sm_80|8|0|0|0";
  append(elsewhere);
  EXPECT_EQ(prune(*cache, {.failed_only = true, .is_dry_run = true}).take().measurements, 1);
  EXPECT_EQ(numbers_in(*cache).size(), 12u);
  EXPECT_EQ(prune(*cache, {.failed_only = true}).take().measurements, 1);
  EXPECT_EQ(prune(*cache, {.device = "OTHER gpu"}).take().measurements, 1);
  EXPECT_EQ(prune(*cache, {.older_than_unix_s = 1'800'000'003}).take().measurements, 3);
  EXPECT_EQ(prune(*cache, {.toolchain = "emitter 2"}).take().measurements, 0);
  EXPECT_EQ(numbers_in(*cache), (std::set<int64_t>{3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(MaintenanceTest, PruneByAgeLeavesWhatIsNotDated) {
  KeyedTrial imported = numbered_trial(7);
  imported.record.origin = "diode-table";
  imported.record.when_unix_s = 0;
  append(imported);
  EXPECT_EQ(prune(*cache, {.older_than_unix_s = int64_t{1} << 40}).take().measurements, 0);
  EXPECT_EQ(numbers_in(*cache), (std::set<int64_t>{7}));
}

TEST_F(MaintenanceTest, PruneOfQuarantineKnowsWhenTheSpoolWasDamaged) {
  const int64_t before = std::time(nullptr);
  std::ofstream(path + "/spool") << "TRSP half a frame";
  EXPECT_GT(cache->take_in_spool().take().damaged_bytes, 0);
  EXPECT_EQ(prune(*cache, {.quarantined_before_unix_s = before}).take().quarantined, 0);
  EXPECT_EQ(prune(*cache, {.quarantined_before_unix_s = before + 3600}).take().quarantined, 1);
}

TEST_F(MaintenanceTest, PruneWantsToBeToldWhat) {
  EXPECT_THAT(prune(*cache, {}), FailsWith(StatusCode::kInvalidArgument, HasSubstr("named")));
}

TEST_F(MaintenanceTest, PruneDropsArtifacts) {
  cache->artifacts().put(numbered_trial(1).key, "some code", {}, 1).take();
  EXPECT_GT(prune(*cache, {.most_artifact_bytes = 0}).take().artifact_bytes, 0);
  EXPECT_FALSE(cache->artifacts().find(numbered_trial(1).key).take().has_value());
}

TEST_F(MaintenanceTest, StatsCountWhatIsThere) {
  put_numbered(*cache, 0, 1000);
  const CacheStats found = stats(*cache).take();
  EXPECT_EQ(found.path, path);
  EXPECT_EQ(found.schema, 3);
  EXPECT_EQ(found.devices, 1);
  EXPECT_EQ(found.owner_pid, getpid());
  EXPECT_EQ(found.families.at(0).name, "measurements");
  EXPECT_EQ(found.families.at(0).records, 1000);
  EXPECT_GT(found.log_bytes, 100'000);
  EXPECT_GT(found.disk_bytes, found.log_bytes);
}

TEST_F(MaintenanceTest, StatsNameNoProcessThatHasTheNumberOfAWriterThatDied) {
  const std::string owner = path + "/OWNER";
  std::string text;
  std::getline(std::ifstream(owner), text);
  cache.reset();
  open({.mode = StoreMode::kReadOnly});
  std::ofstream(owner) << text;
  EXPECT_EQ(stats(*cache).take().owner_pid, getpid());
  std::ofstream(owner) << getpid() << " 1\n";  // began when the machine did
  EXPECT_EQ(stats(*cache).take().owner_pid, std::nullopt);
  std::ofstream(owner) << getpid() << "\n";  // an older Triode's
  EXPECT_EQ(stats(*cache).take().owner_pid, getpid());
}

TEST_F(MaintenanceTest, StatsCountSummariesThatWereMadeAnewAndNotCompacted) {
  for (int i = 0; i < 3; ++i) {
    put_numbered(*cache, 0, 1000);
    flush(*cache);
    ASSERT_TRUE(summarize(*cache).ok());
    flush(*cache);
    EXPECT_EQ(stats(*cache).take().families.back().name, "summaries");
    EXPECT_EQ(stats(*cache).take().families.back().records, 10);
  }
}

}  // namespace
}  // namespace triode
