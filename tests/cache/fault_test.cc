// SPDX-License-Identifier: Apache-2.0
// What the world does to a cache: damaged and truncated files, full disks, folders that may not be
// written. Each time the error is clear, and nothing else is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "cache/spool_writer.h"
#include "tests/cache/filled_cache.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kInTables = 4000;
constexpr int64_t kAll = 5000;

// A cache with trials 0 to kInTables in a table file and the rest in the log.
class FaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string live = folder.path() / "live";
    const auto cache = Cache::open(live, {}).take();
    put_numbered(*cache, 0, kInTables);
    flush(*cache);
    for (int64_t at = kInTables; at < kAll; at += 100) put_numbered(*cache, at, at + 100);
    // As it lies there when the writer dies.
    fs::copy(live, path, fs::copy_options::recursive);
  }

  Result<std::unique_ptr<Cache>> open(StoreMode mode = StoreMode::kReadWrite) const {
    return Cache::open(path, {.mode = mode});
  }

  // The largest file of those whose names begin or end so.
  std::string file(const std::string& part) const {
    std::string largest;
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(part) && !name.ends_with(part)) continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }

  auto asks_for_repair() const {
    return FailsWith(StatusCode::kCorrupt,
                     AllOf(HasSubstr(path), HasSubstr("triode cache verify --repair")));
  }

  // How many of the trials in the range are there.
  static int64_t count(const std::set<int64_t>& numbers, int64_t begin, int64_t end) {
    return std::distance(numbers.lower_bound(begin), numbers.lower_bound(end));
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
};

TEST_F(FaultTest, ADamagedTableIsToldAndRepairedAtTheLossOfOneBlock) {
  flip_byte(file(".sst"), static_cast<int64_t>(fs::file_size(file(".sst")) / 3));
  {
    const auto cache = open().take();
    EXPECT_THAT(cache->measurements().count(), asks_for_repair());
    const VerifyReport report = verify(*cache).take();
    EXPECT_EQ(report.damaged, 1);
    EXPECT_THAT(report.damages.at(0).reason, HasSubstr("cannot be read"));
    // Other problems are answered as before.
    EXPECT_TRUE(cache->measurements().get(numbered_trial(1).key).take().has_value());
    EXPECT_TRUE(cache->measurements().get(numbered_trial(kAll - 1).key).take().has_value());
  }
  const RepairReport report = repair_cache(path).take();
  EXPECT_TRUE(report.is_rebuilt);
  EXPECT_TRUE(fs::exists(report.copied_to + "/CURRENT"));
  const auto cache = open().take();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  const std::set<int64_t> left = numbers_in(*cache);
  EXPECT_EQ(count(left, kInTables, kAll), kAll - kInTables);
  EXPECT_LT(count(left, 0, kInTables), kInTables);
  EXPECT_GT(count(left, 0, kInTables), kInTables - 400);
}

TEST_F(FaultTest, SeveralDamagedBlocksAreEachPassedOver) {
  const auto size = static_cast<int64_t>(fs::file_size(file(".sst")));
  flip_byte(file(".sst"), size / 10);
  flip_byte(file(".sst"), size / 2);
  ASSERT_TRUE(repair_cache(path).ok());
  const std::set<int64_t> left = numbers_in(*open().take());
  EXPECT_GT(count(left, 0, kInTables), kInTables / 2);
  EXPECT_TRUE(left.contains(0));
  EXPECT_TRUE(left.contains(kInTables - 1));
}

TEST_F(FaultTest, ADamagedLogIsToldAndRepairedAtTheLossOfItsBlock) {
  flip_byte(file(".log"), static_cast<int64_t>(fs::file_size(file(".log")) / 2));
  EXPECT_THAT(open(), asks_for_repair());
  EXPECT_THAT(open(StoreMode::kReadOnly), asks_for_repair());
  const RepairReport report = repair_cache(path).take();
  EXPECT_TRUE(fs::exists(report.copied_to + "/CURRENT"));
  const std::set<int64_t> left = numbers_in(*open().take());
  EXPECT_EQ(count(left, 0, kInTables), kInTables);
  EXPECT_GE(count(left, kInTables, kAll), (kAll - kInTables) / 2);
}

TEST_F(FaultTest, ATruncatedLogLosesOnlyTheBatchCutOff) {
  fs::resize_file(file(".log"), fs::file_size(file(".log")) - 10);
  const auto cache = open().take();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  EXPECT_EQ(numbers_in(*cache).size(), static_cast<size_t>(kAll - 100));
}

TEST_F(FaultTest, ADamagedManifestIsToldAndRepairedWithoutLoss) {
  flip_byte(file("MANIFEST"), 20);
  EXPECT_THAT(open(), asks_for_repair());
  const Result<RepairReport> report = repair_cache(path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_TRUE(report->is_rebuilt);
  const auto cache = open().take();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  EXPECT_EQ(numbers_in(*cache).size(), static_cast<size_t>(kAll));
}

TEST_F(FaultTest, ADamagedCurrentIsToldAndRepairedWithoutLoss) {
  flip_byte(path + "/CURRENT", 2);
  EXPECT_THAT(open(), asks_for_repair());
  const Result<RepairReport> report = repair_cache(path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(numbers_in(*open().take()).size(), static_cast<size_t>(kAll));
}

TEST_F(FaultTest, DamagedOptionsHarmNothing) {
  flip_byte(file("OPTIONS"), 100);
  EXPECT_EQ(numbers_in(*open().take()).size(), static_cast<size_t>(kAll));
}

TEST_F(FaultTest, ADamagedIdentityHarmsNothing) {
  flip_byte(path + "/IDENTITY", 3);
  EXPECT_EQ(numbers_in(*open().take()).size(), static_cast<size_t>(kAll));
}

TEST_F(FaultTest, AReadOnlyFolderIsToldToWritersAndServesReaders) {
  if (geteuid() == 0) {
    // Nothing is read-only to root but a file system that is.
    if (mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      umount(path.c_str());
      GTEST_SKIP() << "this system lets nobody mount";
    }
  } else {
    ASSERT_EQ(chmod(path.c_str(), 0555), 0);
  }
  const auto written = open();
  const auto read = open(StoreMode::kReadOnly);
  const KeyedTrial one = numbered_trial(1);
  const Status spooled = append_to_spool(path, {&one, 1});
  if (geteuid() == 0) {
    umount2(path.c_str(), MNT_DETACH);  // the reader still has files open
  } else {
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  }
  EXPECT_THAT(written, FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
  EXPECT_THAT(spooled, FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
  ASSERT_TRUE(read.ok()) << read.status().message();
}

// A file system of four megabytes, which the test fills.
class FullDiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(disk);
    if (geteuid() != 0 || mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=4m") != 0) {
      GTEST_SKIP() << "only root can mount a small disk, and this system must allow it";
    }
    is_mounted = true;
  }
  void TearDown() override {
    if (is_mounted) {
      EXPECT_EQ(umount2(disk.c_str(), MNT_DETACH), 0);
    }
  }

  // Takes all the room there is, but for some.
  void fill(int64_t but_bytes) const {
    const auto free = static_cast<int64_t>(fs::space(disk).free);
    std::ofstream(disk + "/ballast") << std::string(static_cast<size_t>(free - but_bytes), 'x');
  }

  const TemporaryFolder folder;
  const std::string disk = folder.path() / "disk";
  const std::string path = disk + "/cache";
  bool is_mounted = false;
};

TEST_F(FullDiskTest, IsToldLosesNothingAndGoesOnWhenThereIsRoom) {
  auto cache = Cache::open(path, {}).take();
  put_numbered(*cache, 0, 100);
  fill(64 * 1024);
  Status status;
  int64_t kept = 100;
  std::vector<KeyedTrial> batch(100);
  for (; status.ok() && kept < 100'000; kept += status.ok() ? 100 : 0) {
    for (int64_t i = 0; i < 100; ++i) batch[static_cast<size_t>(i)] = numbered_trial(kept + i);
    status = cache->measurements().append(batch);
  }
  EXPECT_THAT(status, FailsWith(StatusCode::kResourceExhausted,
                                AllOf(HasSubstr(path), HasSubstr("make room"))));
  EXPECT_EQ(cache->measurements().count().take().records, kept);
  fs::remove(disk + "/ballast");
  put_numbered(*cache, kept, kept + 100);
  cache.reset();
  cache = Cache::open(path, {}).take();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  EXPECT_EQ(numbers_in(*cache).size(), static_cast<size_t>(kept + 100));
}

// RocksDB has nothing to flush then, and so no reason of its own to begin a new log.
TEST_F(FullDiskTest, IsToldToAWriterThatHasJustOpenedAndLetsItGoOn) {
  auto cache = Cache::open(path, {}).take();
  put_numbered(*cache, 0, 100);
  cache.reset();
  fill(8 * 1024);
  cache = Cache::open(path, {}).take();
  std::vector<KeyedTrial> batch;
  for (int64_t number = 100; number < 200; ++number) batch.push_back(numbered_trial(number));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(cache->measurements().append(batch),
                FailsWith(StatusCode::kResourceExhausted, HasSubstr("make room")));
  }
  fs::remove(disk + "/ballast");
  EXPECT_TRUE(cache->measurements().append(batch).ok());
  cache.reset();
  cache = Cache::open(path, {}).take();
  EXPECT_TRUE(verify(*cache).take().is_sound());
  EXPECT_EQ(numbers_in(*cache).size(), 200U);
}

TEST_F(FullDiskTest, TheSpoolTakesAllOfATrialOrNothing) {
  const KeyedTrial one = numbered_trial(1);
  ASSERT_TRUE(append_to_spool(path, {&one, 1}).ok());
  fill(8 * 1024);
  Status status;
  int64_t kept = 1;
  for (; status.ok() && kept < 10'000; kept += status.ok() ? 1 : 0) {
    const KeyedTrial next = numbered_trial(kept + 1);
    status = append_to_spool(path, {&next, 1});
  }
  EXPECT_THAT(status, FailsWith(StatusCode::kResourceExhausted, HasSubstr("make room")));
  fs::remove(disk + "/ballast");
  const auto cache = Cache::open(path, {}).take();
  EXPECT_EQ(cache->spool_intake().records, kept);
  EXPECT_EQ(cache->spool_intake().damaged_bytes, 0);
}

}  // namespace
}  // namespace triode
