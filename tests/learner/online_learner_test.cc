// SPDX-License-Identifier: Apache-2.0
#include "learner/model/online_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/status_matchers.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Learning : public ::testing::Test {
 protected:
  // Plausible times: some multiple of what the device needs at least.
  std::vector<TimedConfig> timed(double scale = 1) const {
    const double roof = FeatureExtractor::make(task)->roof_s();
    return {{configs[3], 2 * roof * scale},
            {configs[50], 3 * roof * scale},
            {configs[200], 9 * roof * scale}};
  }
  Problem problem = Problem::mm(DType::kF16, 1000, 500, 2000);
  RankingTask task = task_of(problem);
  std::vector<Config> configs = all_configs();
  OnlineLearner learner{model_of(small_snapshot(2))};
};

TEST_F(Learning, MovesScoresTowardsTheTimings) {
  const std::vector<Config> three = {configs[3], configs[50], configs[200]};
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(learner.learn(task, timed()).ok());
  const Result<Ranking> ranking = learner.rank(task, three);
  ASSERT_TRUE(ranking.ok());
  EXPECT_EQ(ranking->candidates[0].index, 0u);
  EXPECT_EQ(ranking->candidates[1].index, 1u);
  EXPECT_NEAR(ranking->candidates[2].score - ranking->candidates[0].score, std::log(4.5), 0.1);
}

TEST_F(Learning, LearnsTheSameWhenAllTimesAreScaled) {
  OnlineLearner other{model_of(small_snapshot(2))};
  ASSERT_TRUE(learner.learn(task, timed(1)).ok());
  ASSERT_TRUE(other.learn(task, timed(3)).ok());
  for (size_t i = 0; i < learner.state("a100").size(); ++i) {
    EXPECT_NEAR(learner.state("a100").mean[i], other.state("a100").mean[i], 1e-9);
  }
}

TEST_F(Learning, RefusesWhatCannotBeTrueWithAReason) {
  std::vector<TimedConfig> strange = timed();
  strange[0].seconds = std::numeric_limits<double>::quiet_NaN();
  strange.push_back({configs[10], 0});
  strange.push_back({configs[11], -1e-3});
  strange.push_back({configs[12], 1e-9});
  strange.push_back({configs[13], 1e5});
  const Result<LearnReport> report = learner.learn(task, strange);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->used, 2u);
  EXPECT_THAT(
      report->refused,
      ElementsAre(HasSubstr("not finite"), HasSubstr("not positive"), HasSubstr("not positive"),
                  HasSubstr("faster than the device can be"), HasSubstr("absurdly slow")));
  EXPECT_EQ(learner.counts().refused(), 5u);
  EXPECT_THAT(learner.counts().by_verdict, ElementsAre(2, 1, 2, 1, 1));
}

TEST_F(Learning, IsNotMovedByWhatItRefuses) {
  OnlineLearner other{model_of(small_snapshot(2))};
  std::vector<TimedConfig> with_nonsense = timed();
  with_nonsense.push_back({configs[7], std::numeric_limits<double>::infinity()});
  ASSERT_TRUE(learner.learn(task, timed()).ok());
  ASSERT_TRUE(other.learn(task, with_nonsense).ok());
  EXPECT_EQ(learner.state("a100"), other.state("a100"));
}

TEST_F(Learning, OfOneDeviceLeavesTheChoicesForAnotherAsTheyAre) {
  const Ranking before = *learner.rank(task, configs);
  const RankingTask elsewhere = task_of(problem, h100());
  const Ranking there = *learner.rank(elsewhere, configs);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(learner.learn(elsewhere, timed()).ok());
  const Ranking after = *learner.rank(task, configs);
  ASSERT_EQ(before.candidates.size(), after.candidates.size());
  for (size_t i = 0; i < before.candidates.size(); ++i) {
    EXPECT_EQ(before.candidates[i].index, after.candidates[i].index);
    EXPECT_EQ(before.candidates[i].score, after.candidates[i].score);
  }
  EXPECT_NE(there.candidates.front().score,
            learner.rank(elsewhere, configs)->candidates.front().score);
  EXPECT_EQ(learner.state("a100"), learner.model().snapshot().online);
  EXPECT_EQ(learner.snapshot().learned.size(), 1u);
}

TEST_F(Learning, BeginsWithWhatAnEarlierVersionHadLearnedOfAllDevices) {
  Snapshot earlier = small_snapshot(2);
  earlier.online.mean.back() = -3;
  earlier.online.updates = 9;
  OnlineLearner resumed{model_of(*read_snapshot(write_snapshot(earlier)))};
  EXPECT_EQ(resumed.state("h100").mean.back(), -3);
  ASSERT_TRUE(resumed.learn(task, timed()).ok());
  EXPECT_EQ(resumed.state("a100").updates, 10u);
  EXPECT_EQ(resumed.state("h100").updates, 9u);
}

TEST_F(Learning, OfMoreDevicesThanASnapshotHoldsIsRefused) {
  for (size_t i = 0; i <= kMaxLearnedDevices; ++i) {
    DeviceTraits device = a100();
    device.name += std::to_string(i);
    const Result<LearnReport> report = learner.learn(task_of(problem, device), timed());
    EXPECT_EQ(report.ok(), i < kMaxLearnedDevices) << i;
  }
  EXPECT_TRUE(learner.snapshot().validate().ok());
}

TEST_F(Learning, GoesOnWithAnotherModelAndKeepsWhatItLearned) {
  ASSERT_TRUE(learner.learn(task, timed()).ok());
  const OnlineState learned = learner.state("a100");
  Snapshot other = small_snapshot(3);
  ASSERT_TRUE(learner.adopt(model_of(other)).ok());
  EXPECT_EQ(learner.model().snapshot().nets.size(), 3u);
  EXPECT_EQ(learner.state("a100"), learned);
  EXPECT_EQ(learner.snapshot().online_of("a100"), learned);
  EXPECT_EQ(learner.adopt(nullptr).code(), StatusCode::kInvalidArgument);
}

TEST_F(Learning, EndsUpInTheSnapshot) {
  ASSERT_TRUE(learner.learn(task, timed()).ok());
  const Result<Snapshot> kept = read_snapshot(write_snapshot(learner.snapshot()));
  ASSERT_TRUE(kept.ok());
  const OnlineLearner resumed{model_of(*kept)};
  const Ranking before = *learner.rank(task, configs);
  const Ranking after = *resumed.rank(task, configs);
  ASSERT_EQ(before.candidates.size(), after.candidates.size());
  for (size_t i = 0; i < before.candidates.size(); ++i) {
    EXPECT_EQ(before.candidates[i].index, after.candidates[i].index);
    EXPECT_EQ(before.candidates[i].score, after.candidates[i].score);
  }
  EXPECT_NE(learner.model().digest(), resumed.model().digest());
}

}  // namespace
}  // namespace triode
