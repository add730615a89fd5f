// SPDX-License-Identifier: Apache-2.0
#include "cache/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cache/cache.h"
#include "cache/maintenance.h"
#include "cache/record_codec.h"
#include "core/key.h"
#include "tests/cache/raw_database.h"
#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Caches as schema 1 wrote them: families measurements and meta, keys of core/key.h.
class MigrationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    target.device = "a|cpu";
    target.toolchain = "emitter 1";
    target.driver = "driver\n2";
    target.cores = 8;
    space.add({"x", {0, 1, 2, 3}, {}});
    std::filesystem::create_directories(path);
    raw_create(path);
    raw_add_family(path, "measurements");
    raw_add_family(path, "meta");
    raw_put(path, "meta", "schema_version", "1");
  }

  void put_old(int32_t value, const TrialRecord& record) const {
    raw_put(path, "measurements", config_key(target, problem, space, x(value)),
            encode_record(record).take());
  }

  static Config x(int32_t value) {
    Config config(1);
    config[0] = value;
    return config;
  }

  static TrialRecord took(double median_ns) {
    return {{}, {median_ns, median_ns, 0.01, 5}, 1'800'000'000};
  }

  const TemporaryFolder folder;
  const std::string path = folder.path() / "old";
  Target target;
  Problem problem = Problem::mm(DType::kF32, 512, 64, 8);
  Space space;
};

TEST_F(MigrationTest, BringsEveryRecordIntoThePresentLayout) {
  put_old(1, took(100));
  put_old(2, took(90));
  const auto cache = Cache::open(path, {}).take();
  const FoundTrials found = cache->measurements().find(target, problem).take();
  ASSERT_THAT(found.trials, SizeIs(2));
  EXPECT_EQ(found.trials[0].config, "x=2");
  EXPECT_EQ(found.trials[0].record, took(90));
  EXPECT_EQ(found.trials[0].device, device_of(target));
  EXPECT_EQ(found.trials[0].validity, validity_of(target));
  EXPECT_TRUE(verify(*cache).take().is_sound());
}

TEST_F(MigrationTest, WritesTheNewSchemaAndLeavesNoOldKey) {
  put_old(1, took(100));
  Cache::open(path, {}).take().reset();
  EXPECT_EQ(raw_get(path, "meta", "schema_version"), "3");
  EXPECT_THAT(raw_keys(path, "measurements"), SizeIs(1));
}

TEST_F(MigrationTest, GoesOnWhereItWasEnded) {
  put_old(1, took(100));
  Cache::open(path, {}).take().reset();
  put_old(2, took(90));
  raw_put(path, "meta", "schema_version", "1");
  const auto cache = Cache::open(path, {}).take();
  EXPECT_THAT(cache->measurements().find(target, problem).take().trials, SizeIs(2));
}

TEST_F(MigrationTest, LosesNoRecordThatItCannotPlace) {
  raw_put(path, "measurements", "no key of ours", "its value");
  Cache::open(path, {}).take().reset();
  EXPECT_THAT(raw_keys(path, "measurements"), SizeIs(0));
  EXPECT_THAT(raw_keys(path, "quarantine"), SizeIs(1));
}

TEST_F(MigrationTest, AReaderSaysWhoCanMigrate) {
  EXPECT_THAT(Cache::open(path, {.mode = StoreMode::kReadOnly}),
              FailsWith(StatusCode::kUnsupported,
                        AllOf(HasSubstr(path), HasSubstr("triode cache compact"))));
}

}  // namespace
}  // namespace triode
