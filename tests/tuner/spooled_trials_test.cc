// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/spooled_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "cache/cache.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class SpooledTrialsTest : public ::testing::Test {
 protected:
  Status record(const std::string& config, double median_ns = 1000) {
    return log_->record(target_, problem_, space_,
                        {{space_.parse(config).value(),
                          {.outcome = {}, .measurement = {median_ns, 990, 0.01, 50}}}});
  }
  // What a writer finds that opens the cache.
  FoundTrials taken_in() const {
    const auto cache = Cache::open(path_, {}).take();
    return cache->measurements().find(target_, problem_).take();
  }

  const TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "store").string();
  const Space space_ = model_space();
  const Target target_ = sample_target();
  const Problem problem_ = problem_of(sample_call(16)).value();
  std::unique_ptr<SpooledTrials> log_ = std::make_unique<SpooledTrials>(path_);
};

TEST_F(SpooledTrialsTest, AreLeftToTheNextWriterWithTheirDate) {
  ASSERT_TRUE(record("x=7 y=3").ok());
  ASSERT_TRUE(record("x=6 y=3").ok());
  const FoundTrials found = taken_in();
  ASSERT_THAT(found.trials, SizeIs(2));
  EXPECT_GT(found.trials[0].record.when_unix_s, 0);
}

TEST_F(SpooledTrialsTest, AreRememberedOfTheirProblemAlone) {
  ASSERT_TRUE(record("x=7 y=3").ok());
  EXPECT_THAT(log_->known(target_, problem_, space_), SizeIs(1));
  const Problem other = problem_of(sample_call(17)).value();
  EXPECT_THAT(log_->known(target_, other, space_), IsEmpty());
}

TEST_F(SpooledTrialsTest, WaitWhereTheSpoolCannotBeWritten) {
  folder_.write("store", "a file in the way");
  EXPECT_FALSE(record("x=7 y=3").ok());
  std::filesystem::remove(path_);
  log_.reset();
  EXPECT_THAT(taken_in().trials, SizeIs(1));
}

TEST_F(SpooledTrialsTest, OneThatNobodyTakesDoesNotHoldUpTheOthers) {
  EXPECT_FALSE(record("x=7 y=3", std::nan("")).ok());
  EXPECT_TRUE(record("x=6 y=3").ok());
  EXPECT_THAT(taken_in().trials, SizeIs(1));
}

}  // namespace
}  // namespace triode::tuner
