// SPDX-License-Identifier: Apache-2.0
// What a repair brings back of tables that are damaged outside their records, and of lost notes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "cache/schema.h"
#include "tests/cache/filled_cache.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int64_t kTrials = 5000;

// A cache whose writer has closed, so that each family has a table.
class RepairTest : public ::testing::Test {
 protected:
  void SetUp() override { put_numbered(*Cache::open(path, {}).take(), 0, kTrials); }

  static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // The table of a family. It names the family in its description of itself, where a name is
  // written without what it shares with the one before.
  std::string table_of(const std::string& family) const {
    for (const std::string& file : files_ending(path, ".sst")) {
      if (bytes_of(file).find("name" + family) != std::string::npos) return file;
    }
    ADD_FAILURE() << "no table of " << family;
    return "";
  }

  std::string manifest() const {
    std::string name;
    std::ifstream(path + "/CURRENT") >> name;
    return path + "/" + name;
  }

  static void flip_in(const std::string& table, const std::string& word) {
    const size_t at = bytes_of(table).find(word);
    ASSERT_NE(at, std::string::npos) << word;
    flip_byte(table, static_cast<int64_t>(at));
  }

  auto asks_for_repair() const {
    return FailsWith(StatusCode::kCorrupt,
                     AllOf(HasSubstr(path), HasSubstr("triode cache verify --repair")));
  }

  void expect_whole() const {
    const auto cache = Cache::open(path, {.mode = StoreMode::kReadOnly}).take();
    EXPECT_TRUE(verify(*cache).take().is_sound());
    EXPECT_THAT(numbers_in(*cache), SizeIs(kTrials));
    int64_t configs = 0;
    ASSERT_TRUE(cache->measurements()
                    .summaries({},
                               [&](const ProblemSummary& problem) {
                                 configs += problem.configs;
                                 return true;
                               })
                    .ok());
    EXPECT_EQ(configs, kTrials);
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "cache";
};

class DamagedDescription : public RepairTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DamagedDescription, OfATableLosesNoRecord) {
  const std::string table = table_of("measurements");
  const std::string name = fs::path(table).filename();
  flip_in(table, GetParam());
  const std::string damaged = bytes_of(table);
  EXPECT_THAT(Cache::open(path, {}), asks_for_repair());
  const RepairReport report = repair_cache(path).take();
  EXPECT_THAT(report.notes, Contains(HasSubstr(name)));
  EXPECT_EQ(bytes_of(report.copied_to + "/" + name), damaged);
  EXPECT_FALSE(fs::exists(path + ".damaged-2"));
  expect_whole();
}

// Its first name, from which all others take their beginning; values; and its last name.
INSTANTIATE_TEST_SUITE_P(Repair, DamagedDescription,
                         ::testing::Values("rocksdb.block.based", "namemeasurements", "ZSTD",
                                           "num.data.blocks", "raw.key.size"));

TEST_F(RepairTest, CanBeStoppedAndRunAgain) {
  flip_in(table_of("measurements"), "raw.key.size");
  EXPECT_THAT(repair_cache(path, [](int64_t, int64_t) { return false; }),
              FailsWith(StatusCode::kUnavailable, HasSubstr("run it again")));
  ASSERT_TRUE(repair_cache(path).ok());
  expect_whole();
}

TEST_F(RepairTest, NamesTheTableThatItSetsAsideAndItsRecords) {
  const std::string table = table_of("measurements");
  // The index, before the description.
  flip_byte(table, static_cast<int64_t>(bytes_of(table).find("rocksdb.block.based")) - 50);
  EXPECT_THAT(Cache::open(path, {}), asks_for_repair());
  const RepairReport report = repair_cache(path).take();
  const std::string kept = report.copied_to + "/" + fs::path(table).filename().string();
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("5000 records of measurements"),
                                           HasSubstr("set aside: " + kept))));
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_TRUE(verify(*Cache::open(path, {}).take()).take().is_sound());
}

TEST_F(RepairTest, PutsNoTableIntoAnotherFamilyWhereTheListOfTablesIsDamagedToo) {
  const std::string table = table_of("measurements");
  flip_in(table, "raw.key.size");
  flip_byte(manifest(), 20);
  const RepairReport report = repair_cache(path).take();
  EXPECT_THAT(report.notes, Contains(HasSubstr("5000 records of measurements cannot be read")));
  EXPECT_EQ(report.moved, 0);
  EXPECT_TRUE(verify(*Cache::open(path, {}).take()).take().is_sound());
}

TEST_F(RepairTest, NotesTheSchemaAnewWhereEverythingReadsAsOfThePresentOne) {
  flip_byte(table_of("meta"), 1);
  EXPECT_THAT(Cache::open(path, {}), asks_for_repair());
  const RepairReport report = repair_cache(path).take();
  EXPECT_THAT(report.notes, Contains(HasSubstr("schema was lost")));
  EXPECT_TRUE(fs::exists(report.copied_to + "/CURRENT"));
  EXPECT_EQ(raw_get(path, "meta", kSchemaKey), std::to_string(kSchema));
  expect_whole();
}

TEST_F(RepairTest, NotesTheSchemaAnewWhereItIsNoNumber) {
  raw_put(path, "meta", kSchemaKey, "three");
  EXPECT_THAT(Cache::open(path, {}), asks_for_repair());
  ASSERT_TRUE(repair_cache(path).ok());
  EXPECT_EQ(raw_get(path, "meta", kSchemaKey), std::to_string(kSchema));
  expect_whole();
}

TEST_F(RepairTest, TellsNoSchemaWhereARecordReadsAsOfAnother) {
  raw_put(path, "measurements", "a key of another schema", "its value");
  flip_byte(table_of("meta"), 1);
  EXPECT_THAT(repair_cache(path),
              FailsWith(StatusCode::kCorrupt,
                        AllOf(HasSubstr("measurements does not tell it"), HasSubstr("damaged-1"))));
  EXPECT_THAT(Cache::open(path, {}), asks_for_repair());
  EXPECT_THAT(raw_keys(path, "measurements"), SizeIs(kTrials + 1));
}

TEST_F(RepairTest, LetsNoNewTrialTakeThePlaceOfAnOldOneWhenTheNumbersAreLost) {
  flip_byte(table_of("meta"), 1);
  ASSERT_TRUE(repair_cache(path).ok());
  put_numbered(*Cache::open(path, {}).take(), 0, kTrials);
  EXPECT_THAT(raw_keys(path, "measurements"), SizeIs(2 * kTrials));
}

TEST_F(RepairTest, CountsAnewWhereTheNoteOfTheNumbersIsNone) {
  raw_put(path, "meta", kSequenceKey, "many");
  ASSERT_TRUE(repair_cache(path).ok());
  put_numbered(*Cache::open(path, {}).take(), 0, kTrials);
  EXPECT_THAT(raw_keys(path, "measurements"), SizeIs(2 * kTrials));
}

TEST_F(RepairTest, OfANewerSchemaLeavesItAsItIs) {
  raw_put(path, "meta", kSchemaKey, std::to_string(kSchema + 1));
  const std::vector<std::string> before = folder_contents(path);
  EXPECT_THAT(repair_cache(path), FailsWith(StatusCode::kUnsupported, HasSubstr("newer Triode")));
  EXPECT_EQ(folder_contents(path), before);
}

}  // namespace
}  // namespace triode
