// SPDX-License-Identifier: Apache-2.0
#include "learner/model/shadow_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/random.h"
#include "learner/model/online_learner.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

// Problems whose times the model of small_snapshot() predicts but for a little noise.
std::vector<HeldBackProblem> slice(size_t count) {
  const auto model = model_of(small_snapshot());
  const auto space = std::make_shared<const Space>(triton_like_space());
  const auto device = std::make_shared<const DeviceTraits>(a100());
  Random random(8);
  std::vector<HeldBackProblem> problems;
  for (size_t i = 0; i < count; ++i) {
    HeldBackProblem held;
    held.problem = Problem::mm(DType::kF16, 64 << (i % 5), 100 + 64 * static_cast<int64_t>(i), 512);
    held.space = space;
    held.device = device;
    held.family = KernelFamily::kInductor;
    for (size_t c = i; c < 400; c += 13) held.configs.push_back(all_configs()[c]);
    const Result<std::vector<float>> scores =
        model->evaluate(task_of(held.problem), held.configs, 0);
    for (const float score : *scores) {
      held.seconds.push_back(1e-4 * std::exp(score + 0.01 * random.uniform()));
    }
    held.seconds[1] = HUGE_VAL;  // one that did not run
    problems.push_back(std::move(held));
  }
  return problems;
}

class Gate : public ::testing::Test {
 protected:
  std::vector<HeldBackProblem> held = slice(24);
  std::vector<std::string> log;
  std::shared_ptr<const CostModel> good = model_of(small_snapshot());
  ModelSlot slot{good, [this](const std::string& line) { log.push_back(line); }};
};

TEST_F(Gate, RollsAPoisonedUpdateBack) {
  // Timings turned upside down: the model's best configs reported as its slowest.
  OnlineLearner poisoned(good);
  for (const HeldBackProblem& problem : held) {
    const RankingTask task = task_of(problem.problem);
    const double roof = FeatureExtractor::make(task)->roof_s();
    std::vector<TimedConfig> timed;
    for (size_t i = 0; i < problem.configs.size(); ++i) {
      if (!std::isfinite(problem.seconds[i])) continue;
      timed.push_back({problem.configs[i], 2 * roof * 1e-4 / problem.seconds[i]});
    }
    ASSERT_GT(poisoned.learn(task, timed)->used, 20u);
  }
  const auto candidate = model_of(poisoned.snapshot());
  const GateVerdict verdict = slot.offer(candidate, held, {});
  EXPECT_FALSE(verdict.passed);
  ASSERT_EQ(verdict.devices.size(), 1u);
  EXPECT_GT(verdict.devices[0].candidate, 1.05);
  EXPECT_LT(verdict.devices[0].current, 1.02);
  EXPECT_EQ(slot.current(), good);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("rolled back"));
  EXPECT_THAT(log[0], HasSubstr("a100"));
  EXPECT_THAT(log[0], HasSubstr(candidate->digest().substr(0, 12)));
}

TEST_F(Gate, LetsAModelThroughThatLosesNothing) {
  Snapshot same = small_snapshot();
  same.card = "Trained a little longer.";
  const auto candidate = model_of(same);
  EXPECT_TRUE(slot.offer(candidate, held, {}).passed);
  EXPECT_EQ(slot.current(), candidate);
  EXPECT_THAT(log.at(0), HasSubstr("swapped in"));
}

TEST_F(Gate, RefusesToJudgeByTooFewProblems) {
  const auto candidate = model_of(small_snapshot(2));
  const GateVerdict verdict = slot.offer(candidate, std::span(held).first(3), {});
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.reason, HasSubstr("too few"));
  EXPECT_EQ(slot.current(), good);
}

TEST_F(Gate, RefusesAModelThatNoLongerRanksWhatTheCurrentOneDoes) {
  Snapshot narrower = small_snapshot();
  narrower.support.dtypes = {DType::kF32};
  EXPECT_FALSE(slot.offer(model_of(narrower), held, {}).passed);
}

TEST_F(Gate, GoesBackOnceAndOnlyOnce) {
  Snapshot other = small_snapshot();
  other.card = "Another.";
  ASSERT_TRUE(slot.offer(model_of(other), held, {}).passed);
  EXPECT_TRUE(slot.roll_back("users complained"));
  EXPECT_EQ(slot.current(), good);
  EXPECT_THAT(log.back(), HasSubstr("users complained"));
  EXPECT_FALSE(slot.roll_back("again"));
}

TEST(LogRegrets, AreZeroForAModelThatKnowsTheTimes) {
  std::vector<HeldBackProblem> problems = slice(8);
  const auto model = model_of(small_snapshot());
  for (const double regret : log_regrets(*model, problems)) {
    EXPECT_GE(regret, 0);
    EXPECT_LT(regret, 0.011);  // the noise put in
  }
  EXPECT_EQ(log_regrets(*model, problems).size(), 8u);
}

}  // namespace
}  // namespace triode
