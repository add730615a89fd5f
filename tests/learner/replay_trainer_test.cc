// SPDX-License-Identifier: Apache-2.0
#include "learner/model/replay_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "learner/model/feature_table.h"
#include "learner/model/replay_buffer.h"
#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"
#include "tests/learner/stepping_clock.h"

namespace triode {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;

// What the made-up device measured of its problems, and what the model thinks of them on an A100.
class Replay : public ::testing::Test {
 protected:
  Replay() {
    const auto on_a100 = std::make_shared<const DeviceTraits>(a100());
    for (HeldBackProblem& timed : made_up_timings(source)) {
      EXPECT_TRUE(buffer.add(*rehearsed(*model, timed, on_a100)).ok());
      EXPECT_TRUE(buffer.add(std::move(timed)).ok());
    }
  }

  Snapshot tuned(size_t steps, std::span<const HeldBackProblem> problems) const {
    ReplayTrainer trainer = std::move(ReplayTrainer::make(model, recipe)).take();
    for (size_t i = 0; i < steps; ++i) EXPECT_TRUE(trainer.step(problems).ok());
    return *trainer.candidate();
  }

  std::shared_ptr<const CostModel> model = model_of(model_of_an_a100());
  std::shared_ptr<const MadeUpSource> source = std::make_shared<const MadeUpSource>(model, 0.06);
  ReplayRecipe recipe{.learning_rate = 3e-3, .seed = 3};
  ReplayBuffer buffer{{}};
  std::vector<std::string> log;
  ModelSlot slot{model, [this](const std::string& line) { log.push_back(line); }};
};

TEST_F(Replay, LearnsANewDeviceWithoutForgettingTheOldOne) {
  const auto candidate = model_of(tuned(400, buffer.replayed()));
  const GateVerdict verdict = slot.offer(candidate, buffer.held_back(), {});
  EXPECT_TRUE(verdict.passed) << verdict.reason;
  EXPECT_EQ(slot.current(), candidate);
  ASSERT_EQ(verdict.devices.size(), 2u);
  EXPECT_EQ(verdict.devices[0].device, "a100");
  EXPECT_EQ(verdict.devices[0].candidate, verdict.devices[0].current);
  EXPECT_EQ(verdict.devices[1].device, "h100");
  EXPECT_GT(verdict.devices[1].current, 1.1);
  EXPECT_LT(verdict.devices[1].candidate - 1, 0.5 * (verdict.devices[1].current - 1));
}

TEST_F(Replay, IsRolledBackIfItsTimingsWerePoisoned) {
  std::vector<HeldBackProblem> poisoned(buffer.replayed().begin(), buffer.replayed().end());
  for (HeldBackProblem& timed : poisoned) {
    for (double& seconds : timed.seconds) seconds = 1e-9 / seconds;
  }
  const auto candidate = model_of(tuned(400, poisoned));
  EXPECT_FALSE(slot.offer(candidate, buffer.held_back(), {}).passed);
  EXPECT_EQ(slot.current(), model);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("rolled back"));
  EXPECT_THAT(log[0], HasSubstr(candidate->digest().substr(0, 12)));
}

TEST_F(Replay, GivesTheSameCandidateForTheSameSeed) {
  const Snapshot first = tuned(20, buffer.replayed());
  EXPECT_EQ(first, tuned(20, buffer.replayed()));
  recipe.seed = 4;
  EXPECT_NE(first, tuned(20, buffer.replayed()));
}

TEST_F(Replay, KeepsTheBasisOfTheOnlineState) {
  const auto candidate = model_of(tuned(20, buffer.replayed()));
  const HeldBackProblem& timed = buffer.held_back().front();
  const RankingTask task = task_of(timed.problem, *timed.device);
  EXPECT_EQ(*candidate->basis(task, timed.configs), *model->basis(task, timed.configs));
  EXPECT_EQ(candidate->snapshot().online, model->snapshot().online);
}

// Problems with times as the model gives them: nothing is left to learn.
std::vector<HeldBackProblem> as_the_model_says(const CostModel& model,
                                               std::span<const HeldBackProblem> problems) {
  std::vector<HeldBackProblem> known(problems.begin(), problems.end());
  for (HeldBackProblem& timed : known) {
    const Ranking ranking = *model.rank(task_of(timed.problem, *timed.device), timed.configs);
    timed.seconds.assign(timed.configs.size(), NAN);
    for (const Candidate& candidate : ranking.candidates) {
      timed.seconds[candidate.index] = 1e-4 * std::exp(candidate.score);
    }
  }
  return known;
}

double mean_log_regret(const Snapshot& snapshot, std::span<const HeldBackProblem> problems) {
  const std::vector<double> regrets = log_regrets(*model_of(snapshot), problems);
  return std::accumulate(regrets.begin(), regrets.end(), 0.0) / static_cast<double>(regrets.size());
}

TEST_F(Replay, DoesNotLearnTwiceWhatTheOnlineStateCorrects) {
  Snapshot corrected = small_snapshot(1);
  // The opposite of what the net says, and half of another: learned twice, the best become the
  // worst. A device has learned it, the other begins with it.
  const std::vector<float>& last = corrected.nets[0].layers.back().weights;
  const Net other = drawn_net(NetRole::kRank, 9);
  for (size_t i = 0; i < last.size(); ++i) {
    corrected.online.mean[i] = 0.5 * other.layers.back().weights[i] - last[i];
  }
  corrected.learned = {{"h100", corrected.online}};
  corrected.online.mean.assign(corrected.online.size(), 0);
  model = model_of(corrected);
  const std::vector<HeldBackProblem> known = as_the_model_says(*model, buffer.replayed());
  ASSERT_LT(mean_log_regret(corrected, known), 1e-9);
  EXPECT_LT(mean_log_regret(tuned(200, known), known), 0.01);
}

TEST_F(Replay, DoesNotLearnTwiceWhatTheTreesSay) {
  Snapshot with_trees = model_of_an_a100();
  // One question about the stages and one about the warps.
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  with_trees.trees = {1,
                      0.5F,
                      {static_cast<uint16_t>(*table.position_of("stages")),
                       static_cast<uint16_t>(*table.position_of("warps"))},
                      {0, -0.3F},
                      {-0.5F, 0.5F, 0.5F, -0.5F}};
  model = model_of(with_trees);
  const std::vector<HeldBackProblem> known = as_the_model_says(*model, buffer.replayed());
  ASSERT_LT(mean_log_regret(with_trees, known), 1e-9);
  Snapshot without = with_trees;
  without.trees = {};
  ASSERT_GT(mean_log_regret(without, known), 0.05);
  EXPECT_LT(mean_log_regret(tuned(100, known), known), 0.005);
}

TEST_F(Replay, ForgetsNothingInALaterRoundEither) {
  const auto before = model;
  model = model_of(tuned(20, buffer.replayed()));
  const auto after = model_of(tuned(20, buffer.replayed()));
  EXPECT_THAT(after->snapshot().card, HasSubstr("Tuned by 40 steps"));
  const HeldBackProblem& timed = buffer.replayed().front();
  const RankingTask on_a100 = task_of(timed.problem, a100());
  EXPECT_EQ(*after->uncorrected_scores(on_a100, timed.configs),
            *before->uncorrected_scores(on_a100, timed.configs));
  const RankingTask on_h100 = task_of(timed.problem, h100());
  EXPECT_NE(*after->uncorrected_scores(on_h100, timed.configs),
            *model->uncorrected_scores(on_h100, timed.configs));
}

TEST_F(Replay, StopsWhenItsSliceIsOver) {
  ReplayTrainer trainer = std::move(ReplayTrainer::make(model, recipe)).take();
  const SteppingClock clock(milliseconds(10));
  EXPECT_EQ(*trainer.run(buffer.replayed(), clock, milliseconds(35)), 4u);
  EXPECT_EQ(trainer.steps(), 4u);
  EXPECT_EQ(*trainer.run(buffer.replayed(), clock, nanoseconds(0)), 1u);
}

TEST_F(Replay, PassesOverWhatItCannotRead) {
  HeldBackProblem failed = buffer.replayed().front();
  failed.seconds.assign(failed.seconds.size(), NAN);
  const auto after = model_of(tuned(3, {&failed, 1}));
  const RankingTask task = task_of(failed.problem, *failed.device);
  EXPECT_EQ(*after->uncorrected_scores(task, failed.configs),
            *model->uncorrected_scores(task, failed.configs));
}

TEST_F(Replay, RefusesToWorkOnNothing) {
  ReplayTrainer trainer = std::move(ReplayTrainer::make(model, recipe)).take();
  EXPECT_EQ(trainer.step({}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ReplayTrainer::make(nullptr, recipe).status().code(), StatusCode::kInvalidArgument);
  recipe.batch = 0;
  EXPECT_EQ(ReplayTrainer::make(model, recipe).status().code(), StatusCode::kInvalidArgument);
  recipe = {.learning_rate = NAN};
  EXPECT_EQ(ReplayTrainer::make(model, recipe).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(Replay, ReportsAModelThatDiverged) {
  recipe.learning_rate = 1e38;
  ReplayTrainer trainer = std::move(ReplayTrainer::make(model, recipe)).take();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(trainer.step(buffer.replayed()).ok());
  const Result<Snapshot> lost = trainer.candidate();
  EXPECT_EQ(lost.status().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace triode
