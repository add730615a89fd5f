// SPDX-License-Identifier: Apache-2.0
#include "learner/model/slow_learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"
#include "tests/learner/stepping_clock.h"

namespace triode {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class Slow : public ::testing::Test {
 protected:
  SlowLearner make() {
    return std::move(SlowLearner::make(model, options,
                                       [this](const std::string& line) { log.push_back(line); }))
        .take();
  }
  // Until something was judged.
  GateVerdict round_of(SlowLearner& slow) {
    const SlowSlice slice = *slow.run(learner, clock, hours(1));
    EXPECT_EQ(slice.steps, options.steps);
    return slice.verdict.value_or(GateVerdict{});
  }

  // Made up once for all tests.
  struct Timed {
    std::shared_ptr<const CostModel> model = model_of(model_of_an_a100());
    std::vector<HeldBackProblem> timings =
        made_up_timings(std::make_shared<const MadeUpSource>(model, 0.06));
  };
  static const Timed& timed_once() {
    static const Timed kTimed;
    return kTimed;
  }

  const std::shared_ptr<const CostModel> model = timed_once().model;
  const std::vector<HeldBackProblem>& timings = timed_once().timings;
  SlowLearnerOptions options{.recipe = {.learning_rate = 3e-3, .seed = 3}, .steps = 80};
  OnlineLearner learner{model};
  SteppingClock clock{milliseconds(1)};
  std::vector<std::string> log;
};

TEST_F(Slow, LearnsANewDeviceInSlices) {
  SlowLearner slow = make();
  for (const HeldBackProblem& timed : timings) ASSERT_GT(slow.add(timed)->used, 1u);
  ASSERT_TRUE(slow.has_work());
  size_t steps = 0, slices = 0;
  SlowSlice slice;
  while (!slice.verdict && slow.has_work()) {
    slice = *slow.run(learner, clock, milliseconds(10));
    EXPECT_LE(slice.steps, 10u);
    steps += slice.steps;
    ++slices;
  }
  EXPECT_EQ(steps, options.steps);
  EXPECT_GT(slices, 8u);
  ASSERT_TRUE(slice.verdict && slice.verdict->passed);
  ASSERT_EQ(slice.verdict->devices.size(), 2u);
  EXPECT_EQ(slice.verdict->devices[0].device, "a100");
  EXPECT_EQ(slice.verdict->devices[0].candidate, slice.verdict->devices[0].current);
  EXPECT_LT(slice.verdict->devices[1].candidate - 1, 0.8 * (slice.verdict->devices[1].current - 1));
  EXPECT_NE(learner.model().digest(), model->digest());
  EXPECT_TRUE(learner.snapshot().validate().ok());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("swapped in"));
  EXPECT_FALSE(slow.has_work());  // until more was timed
}

TEST_F(Slow, HasNothingToDoBeforeEnoughCameIn) {
  SlowLearner slow = make();
  EXPECT_FALSE(slow.has_work());
  for (size_t i = 0; i + 1 < options.problems_between; ++i) ASSERT_TRUE(slow.add(timings[i]).ok());
  EXPECT_FALSE(slow.has_work());
  const SlowSlice slice = *slow.run(learner, clock, hours(1));
  EXPECT_EQ(slice.steps, 0u);
  EXPECT_FALSE(slice.verdict);
  ASSERT_TRUE(slow.add(timings[options.problems_between]).ok());
  EXPECT_TRUE(slow.has_work());
}

TEST_F(Slow, KeepsTheModelIfItsTimingsWerePoisoned) {
  ReplayBuffer sides(options.buffer);
  for (const HeldBackProblem& timed : timings) ASSERT_TRUE(sides.add(timed).ok());
  SlowLearner slow = make();
  for (HeldBackProblem timed : sides.replayed()) {
    const double least = *std::min_element(timed.seconds.begin(), timed.seconds.end());
    for (double& seconds : timed.seconds) seconds = 40 * least * least / seconds;
    ASSERT_TRUE(slow.add(timed).ok());
  }
  for (const HeldBackProblem& timed : sides.held_back()) ASSERT_TRUE(slow.add(timed).ok());
  EXPECT_FALSE(round_of(slow).passed);
  EXPECT_EQ(learner.model().digest(), model->digest());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("rolled back"));
  EXPECT_THAT(log[0], HasSubstr("h100"));
}

TEST_F(Slow, GoesBackToTheNetsBeforeAndKeepsWhatTheLearnerCorrected) {
  SlowLearner slow = make();
  for (const HeldBackProblem& timed : timings) ASSERT_TRUE(slow.add(timed).ok());
  EXPECT_FALSE(slow.roll_back(learner, "nothing to go back to"));
  ASSERT_TRUE(round_of(slow).passed);
  const RankingTask task = task_of(timings[0].problem, h100());
  ASSERT_TRUE(
      learner
          .learn(task, std::vector<TimedConfig>{{timings[0].configs[0], timings[0].seconds[0]},
                                                {timings[0].configs[1], timings[0].seconds[1]}})
          .ok());
  const OnlineState corrected = learner.state("h100");
  EXPECT_TRUE(slow.roll_back(learner, "users complained"));
  EXPECT_EQ(learner.model().snapshot().nets, model->snapshot().nets);
  EXPECT_EQ(learner.state("h100"), corrected);
  EXPECT_THAT(log.back(), HasSubstr("users complained"));
  EXPECT_FALSE(slow.roll_back(learner, "again"));
}

TEST_F(Slow, RehearsesTrainedDevicesUntilTimingsOfThemCome) {
  const auto on_a100 = [](const SlowLearner& slow) {
    const auto replayed = slow.buffer().replayed();
    const auto held_back = slow.buffer().held_back();
    const auto is_a100 = [](const HeldBackProblem& p) { return p.device->name == "a100"; };
    return std::count_if(replayed.begin(), replayed.end(), is_a100) +
           std::count_if(held_back.begin(), held_back.end(), is_a100);
  };
  SlowLearner slow = make();
  for (size_t i = 0; i < 10; ++i) ASSERT_TRUE(slow.add(timings[i]).ok());
  EXPECT_EQ(on_a100(slow), 10);
  HeldBackProblem real = timings[10];
  real.device = std::make_shared<const DeviceTraits>(a100());
  ASSERT_TRUE(slow.add(real).ok());
  for (size_t i = 11; i < 20; ++i) ASSERT_TRUE(slow.add(timings[i]).ok());
  EXPECT_EQ(on_a100(slow), 11);
}

TEST_F(Slow, ReportsAModelThatDivergedAndKeepsTheOneInUse) {
  options.recipe.learning_rate = 1e38;
  options.steps = 20;
  SlowLearner slow = make();
  for (const HeldBackProblem& timed : timings) ASSERT_TRUE(slow.add(timed).ok());
  const Result<SlowSlice> slice = slow.run(learner, clock, hours(1));
  ASSERT_FALSE(slice.ok());
  EXPECT_EQ(slice.status().code(), StatusCode::kInternal);
  EXPECT_EQ(learner.model().digest(), model->digest());
  EXPECT_FALSE(slow.has_work());
}

TEST_F(Slow, RefusesWhatCannotWork) {
  options.steps = 0;
  EXPECT_EQ(SlowLearner::make(model, options, {}).status().code(), StatusCode::kInvalidArgument);
  options = {};
  options.recipe.batch = 0;
  EXPECT_EQ(SlowLearner::make(model, options, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SlowLearner::make(nullptr, {}, {}).status().code(), StatusCode::kInvalidArgument);
  options = {};
  EXPECT_EQ(make().add({}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode
