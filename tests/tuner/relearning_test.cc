// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/relearning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cache/keyed_trial.h"
#include "cache/sample_key.h"
#include "cache/spool_writer.h"
#include "core/space.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Result<Space> space_of(const Problem&) {
  return model_space();
}

class RelearningTest : public ::testing::Test {
 protected:
  RelearningTest() {
    const Space space = model_space();
    for (const int64_t size : {16, 32}) {
      const ConfigTrial fast{space.parse("x=7 y=3").value(), {{}, {1000, 1000, 0, 3}}};
      const ConfigTrial crashed{space.parse("x=0 y=0").value(),
                                {{OutcomeKind::kCrashed, "so"}, {}}};
      EXPECT_TRUE(log_->record(sample_target(), Problem::mm(DType::kF32, size, size, size), space,
                               {fast, crashed})
                      .ok());
    }
  }
  Relearned relearn_for(std::chrono::nanoseconds time, const Target& target = sample_target()) {
    return relearn(target, space_of, *log_, ranker_, clock_, time, learned_until_);
  }

  TemporaryFolder folder_;
  std::unique_ptr<TrialLog> log_ =
      std::move(open_stored_trials((folder_.path() / "store").string(), SyncLevel::kNone)).take();
  GridRanker ranker_;
  FakeClock clock_;
  int64_t learned_until_ = 0;
};

TEST_F(RelearningTest, TellsOfEveryTrialThatWasKept) {
  const Relearned relearned = relearn_for(std::chrono::seconds(1));
  EXPECT_EQ(relearned.problems, 2u);
  EXPECT_EQ(relearned.trials, 4u);
  EXPECT_THAT(ranker_.learnt, SizeIs(4));
}

TEST_F(RelearningTest, LearnsNothingTwiceThatIsInTheModel) {
  learned_until_ = int64_t{1} << 40;
  EXPECT_EQ(relearn_for(std::chrono::seconds(1)).trials, 0u);
  EXPECT_THAT(ranker_.learnt, IsEmpty());
  EXPECT_EQ(ranker_.reviewed, 4u) << "but may be learned from again";
}

TEST_F(RelearningTest, TellsNothingOfAnotherMachine) {
  Target other = sample_target();
  other.device = "another";
  EXPECT_EQ(relearn_for(std::chrono::seconds(1), other).trials, 0u);
  EXPECT_THAT(ranker_.learnt, IsEmpty());
}

TEST_F(RelearningTest, TellsOfTrialsThatOthersHaveLeftMeanwhile) {
  const Space space = model_space();
  const Problem problem = Problem::mm(DType::kF32, 16, 16, 16);
  const KeyedTrial left = {sample_key(sample_target(), problem, space, *space.parse("x=1 y=1")),
                           {{}, {2000, 2000, 0, 3}, 1}};
  ASSERT_TRUE(append_to_spool((folder_.path() / "store").string(), {&left, 1}).ok());
  EXPECT_EQ(relearn_for(std::chrono::seconds(1)).trials, 5u);
  EXPECT_EQ(relearn_for(std::chrono::seconds(1)).trials, 5u);
}

TEST_F(RelearningTest, EndsWithItsTime) {
  EXPECT_EQ(relearn_for(std::chrono::seconds(0)).trials, 0u);
}

}  // namespace
}  // namespace triode::tuner
