// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/saved_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::HasSubstr;

class SavedConfigsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    target.device = "some cpu";
    target.isa = "avx2";
    std::filesystem::remove(path);
  }
  void TearDown() override { std::filesystem::remove(path); }

  const std::string path = ::testing::TempDir() + "triode_saved_configs_" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                           ".json";
  const Problem problem = Problem::mm(DType::kF32, 8, 8, 8);
  Target target;
};

TEST_F(SavedConfigsTest, StartsEmptyWithoutAFile) {
  EXPECT_EQ(SavedConfigs::open(path, target).take().find(problem), std::nullopt);
}

TEST_F(SavedConfigsTest, FindsAgainWhatAnEarlierRunSaved) {
  SavedConfigs first = SavedConfigs::open(path, target).take();
  ASSERT_TRUE(first.save(problem, "mr=6 nr=16").ok());
  EXPECT_EQ(SavedConfigs::open(path, target).take().find(problem), "mr=6 nr=16");
}

TEST_F(SavedConfigsTest, KeepsThreadBudgetsApart) {
  SavedConfigs saved = SavedConfigs::open(path, target).take();
  ASSERT_TRUE(saved.save(problem, "mr=6 nr=16").ok());
  Problem threaded = problem;
  threaded.threads = 4;
  EXPECT_EQ(saved.find(threaded), std::nullopt);
}

TEST_F(SavedConfigsTest, RefusesAFileOfAnotherMachine) {
  SavedConfigs saved = SavedConfigs::open(path, target).take();
  ASSERT_TRUE(saved.save(problem, "mr=6 nr=16").ok());
  target.device = "other cpu";
  EXPECT_THAT(SavedConfigs::open(path, target),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("some cpu")));
}

TEST_F(SavedConfigsTest, RefusesAFileThatIsNoJson) {
  std::ofstream(path) << "mr=6";
  EXPECT_THAT(SavedConfigs::open(path, target), FailsWith(StatusCode::kCorrupt, HasSubstr(path)));
}

TEST_F(SavedConfigsTest, RefusesJsonWithoutConfigs) {
  std::ofstream(path) << "{}";
  EXPECT_THAT(SavedConfigs::open(path, target), FailsWith(StatusCode::kCorrupt, HasSubstr(path)));
}

TEST_F(SavedConfigsTest, SaysWhenTheFileCannotBeWritten) {
  SavedConfigs saved = SavedConfigs::open("/nowhere/configs.json", target).take();
  EXPECT_THAT(saved.save(problem, "mr=6"),
              FailsWith(StatusCode::kUnavailable, HasSubstr("/nowhere/configs.json")));
}

}  // namespace
}  // namespace triode::bench
