// SPDX-License-Identifier: Apache-2.0
#include "cache/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/iostats_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/write_batch.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Whether a write of this weight is on the disk when it returns.
bool syncs(const std::string& path, SyncLevel level, Weight weight) {
  const auto database = Database::open(path, StoreOptions{.sync = level}).take();
  rocksdb::WriteBatch batch;
  EXPECT_TRUE(batch.Put(database->measurements(), "key", "value").ok());
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableTime);
  rocksdb::get_iostats_context()->Reset();
  EXPECT_TRUE(database->write(batch, weight).ok());
  const bool is_synced = rocksdb::get_iostats_context()->fsync_nanos > 0;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  return is_synced;
}

class DatabaseTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Database>> open(StoreMode mode = StoreMode::kReadWrite) const {
    return Database::open(path, mode);
  }

  static Status put(Database& database, const std::string& key, const std::string& value) {
    rocksdb::WriteBatch batch;
    EXPECT_TRUE(batch.Put(database.measurements(), key, value).ok());
    return database.write(batch);
  }

  static std::vector<std::string> keys(const Database& database) {
    std::vector<std::string> found;
    const auto at = database.iterate_measurements();
    for (at->SeekToFirst(); at->Valid(); at->Next()) found.push_back(at->key().ToString());
    return found;
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "made" / "on the way";
};

// Another process that holds the database open for writing, after putting one record, until it is
// killed.
class OtherWriter {
 public:
  explicit OtherWriter(const std::string& path) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) hold(path, ends[1]);
    char ready = 'n';
    EXPECT_EQ(read(ends[0], &ready, 1), 1);
    EXPECT_EQ(ready, 'y');
    close(ends[0]);
    close(ends[1]);
  }
  OtherWriter(const OtherWriter&) = delete;
  OtherWriter& operator=(const OtherWriter&) = delete;
  ~OtherWriter() { end(); }

  pid_t pid() const { return pid_; }

  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  [[noreturn]] static void hold(const std::string& path, int ready_end) {
    auto database = Database::open(path, StoreMode::kReadWrite);
    rocksdb::WriteBatch batch;
    const bool is_ready = database.ok() && batch.Put((*database)->measurements(), "k", "v").ok() &&
                          (*database)->write(batch).ok();
    (void)!write(ready_end, is_ready ? "y" : "n", 1);
    for (;;) pause();
  }

  pid_t pid_ = 0;
};

TEST_F(DatabaseTest, MakesItsFolderAndWritesTheSchema) {
  open().take().reset();
  EXPECT_EQ(raw_get(path, "meta", "schema_version"), "3");
}

TEST_F(DatabaseTest, SyncsWhatTheLevelSays) {
  EXPECT_TRUE(syncs(path, SyncLevel::kEvery, Weight::kSingle));
  EXPECT_TRUE(syncs(path, SyncLevel::kEvery, Weight::kBatch));
  EXPECT_FALSE(syncs(path, SyncLevel::kBatch, Weight::kSingle));
  EXPECT_TRUE(syncs(path, SyncLevel::kBatch, Weight::kBatch));
  EXPECT_FALSE(syncs(path, SyncLevel::kNone, Weight::kSingle));
  EXPECT_FALSE(syncs(path, SyncLevel::kNone, Weight::kBatch));
}

TEST_F(DatabaseTest, RefusesANewerSchemaAndLeavesItUntouched) {
  open().take().reset();
  raw_put(path, "meta", "schema_version", "4");
  const auto before = folder_contents(path);
  for (const StoreMode mode : {StoreMode::kReadWrite, StoreMode::kReadOnly}) {
    EXPECT_THAT(open(mode), FailsWith(StatusCode::kUnsupported,
                                      AllOf(HasSubstr(path), HasSubstr("has schema 4"))));
  }
  EXPECT_EQ(folder_contents(path), before);
}

TEST_F(DatabaseTest, RefusesASchemaThatIsNoNumber) {
  open().take().reset();
  raw_put(path, "meta", "schema_version", "1x");
  EXPECT_THAT(open(), FailsWith(StatusCode::kCorrupt, HasSubstr("'1x'")));
}

TEST_F(DatabaseTest, RefusesAFolderOfOtherThingsAndLeavesItUntouched) {
  folder.write("made/on the way/letter.txt", "dear reader");
  EXPECT_THAT(open(), FailsWith(StatusCode::kInvalidArgument, HasSubstr(path)));
  EXPECT_EQ(folder_contents(path).size(), 1u);
}

TEST_F(DatabaseTest, RefusesAForeignDatabaseAndLeavesItUntouched) {
  std::filesystem::create_directories(path);
  raw_create(path);
  raw_put(path, "default", "their key", "their value");
  const auto before = folder_contents(path);
  EXPECT_THAT(open(), FailsWith(StatusCode::kInvalidArgument, HasSubstr(path)));
  EXPECT_EQ(folder_contents(path), before);
}

TEST_F(DatabaseTest, FinishesADatabaseWhoseMakingWasInterrupted) {
  std::filesystem::create_directories(path);
  raw_create(path);
  open().take().reset();
  EXPECT_EQ(raw_get(path, "meta", "schema_version"), "3");
}

TEST_F(DatabaseTest, SaysWhenThereIsNothingToReadAndMakesNothing) {
  EXPECT_THAT(open(StoreMode::kReadOnly), FailsWith(StatusCode::kNotFound, HasSubstr(path)));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(DatabaseTest, TouchesNothingWhenReading) {
  open().take().reset();
  const auto before = folder_contents(path);
  open(StoreMode::kReadOnly).take().reset();
  EXPECT_EQ(folder_contents(path), before);
}

TEST_F(DatabaseTest, TellsASecondWriterOfThisProcessWhoHasTheLock) {
  const auto first = open().take();
  EXPECT_THAT(open(), FailsWith(StatusCode::kUnavailable,
                                AllOf(HasSubstr("process " + std::to_string(getpid()) + ","),
                                      HasSubstr(path + "/LOCK"))));
  EXPECT_TRUE(put(*first, "k", "v").ok());
}

TEST_F(DatabaseTest, TellsASecondWriterWhichProcessHasTheLock) {
  const OtherWriter other(path);
  EXPECT_THAT(open(), FailsWith(StatusCode::kUnavailable,
                                AllOf(HasSubstr("process " + std::to_string(other.pid()) + ","),
                                      HasSubstr(path + "/LOCK"))));
}

TEST_F(DatabaseTest, HasEveryRecordThatAKilledWriterWasToldIsKept) {
  OtherWriter other(path);
  other.end();
  EXPECT_EQ(keys(*open().take()), std::vector<std::string>{"k"});
}

TEST_F(DatabaseTest, LeavesNoOwnerBehind) {
  open().take().reset();
  EXPECT_FALSE(std::filesystem::exists(path + "/OWNER"));
}

TEST_F(DatabaseTest, NamesTheFolderThatCannotBeMade) {
  folder.write("made", "a file where a folder should be");
  EXPECT_THAT(open(), FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
}

TEST_F(DatabaseTest, NamesTheFolderWhoseFilesAreDamaged) {
  open().take().reset();
  std::ofstream(path + "/CURRENT", std::ios::trunc) << "MANIF";
  EXPECT_THAT(open(), FailsWith(StatusCode::kCorrupt, HasSubstr(path)));
}

TEST_F(DatabaseTest, LosesNothingElseWhenTheDiskTakesNoMore) {
  auto database = open().take();
  ASSERT_TRUE(put(*database, "kept", "v").ok());
  // A limit on the size of files stands for the full disk. Past it the system also sends a signal.
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small = {64 * 1024, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = put(*database, "lost", std::string(1'000'000, 'x'));
  database.reset();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
  EXPECT_EQ(keys(*open().take()), std::vector<std::string>{"kept"});
}

}  // namespace
}  // namespace triode
