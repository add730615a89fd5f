// SPDX-License-Identifier: Apache-2.0
#include "learner/model/replay_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "learner/model/feature_table.h"
#include "learner/model/replay_buffer.h"
#include "runtime/device/replay_device.h"
#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;

// Advances by a fixed time whenever it is asked.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(nanoseconds step) : step_(step) {}
  nanoseconds now() const override { return now_ += step_; }

 private:
  nanoseconds step_;
  mutable nanoseconds now_{0};
};

// Knows an A100; the first net small, as a shipped one's.
Snapshot model_of_two_devices() {
  Snapshot snapshot = small_snapshot(1);
  for (uint64_t seed = 2; seed < 5; ++seed) {
    snapshot.nets.push_back(drawn_net(NetRole::kRank, seed, 32));
  }
  // Not read by the nets, since they are zero on an A100: as training leaves such features.
  const size_t count = feature_table(DeviceKind::kGpu).size();
  for (size_t f = count - 7; f < count; ++f) {
    snapshot.standardisation.mean[f] = 0;
    snapshot.standardisation.inverse_std[f] = 1;
  }
  return snapshot;
}

// What the made-up device measured of its problems, and what the model thinks of them on an A100.
class Replay : public ::testing::Test {
 protected:
  Replay() {
    ReplayDevice device(source, 7);
    const auto space = std::make_shared<const Space>(triton_like_space());
    const auto on_h100 = std::make_shared<const DeviceTraits>(h100());
    const auto on_a100 = std::make_shared<const DeviceTraits>(a100());
    const std::vector<Config> all = all_configs();
    for (const Problem& problem : source->problems()) {
      HeldBackProblem timed{problem, space, on_h100, KernelFamily::kInductor, {}, {}};
      for (size_t i = 0; i < all.size(); i += 7) {
        const auto artifact = device.build(problem, all[i]);
        if (!artifact.ok()) continue;
        timed.configs.push_back(all[i]);
        timed.seconds.push_back(device.time(**artifact, {}, {}, {})->candidate.median_ns * 1e-9);
      }
      EXPECT_TRUE(buffer.add(*rehearsed(*model, timed, on_a100)).ok());
      EXPECT_TRUE(buffer.add(std::move(timed)).ok());
    }
  }

  Snapshot tuned(size_t steps, std::span<const HeldBackProblem> problems) const {
    ReplayTrainer trainer = std::move(ReplayTrainer::make(model, recipe)).take();
    for (size_t i = 0; i < steps; ++i) EXPECT_TRUE(trainer.step(problems).ok());
    return *trainer.candidate();
  }

  std::shared_ptr<const CostModel> model = model_of(model_of_two_devices());
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

TEST_F(Replay, DoesNotLearnTwiceWhatTheOnlineStateCorrects) {
  // Times as the model gives them once its correction is in it: nothing is left to learn.
  Snapshot corrected = small_snapshot(1);
  // The opposite of what the net says, and half of another: learned twice, the best become the
  // worst.
  const std::vector<float>& last = corrected.nets[0].layers.back().weights;
  const Net other = drawn_net(NetRole::kRank, 9);
  for (size_t i = 0; i < last.size(); ++i) {
    corrected.online.mean[i] = 0.5 * other.layers.back().weights[i] - last[i];
  }
  model = model_of(corrected);
  std::vector<HeldBackProblem> known(buffer.replayed().begin(), buffer.replayed().end());
  for (HeldBackProblem& timed : known) {
    const Ranking ranking = *model->rank(task_of(timed.problem, *timed.device), timed.configs);
    timed.seconds.assign(timed.configs.size(), NAN);
    for (const Candidate& candidate : ranking.candidates) {
      timed.seconds[candidate.index] = 1e-4 * std::exp(candidate.score);
    }
  }
  const auto regret = [&](const Snapshot& snapshot) {
    const std::vector<double> regrets = log_regrets(*model_of(snapshot), known);
    return std::accumulate(regrets.begin(), regrets.end(), 0.0) / static_cast<double>(known.size());
  };
  ASSERT_LT(regret(corrected), 1e-9);
  EXPECT_LT(regret(tuned(200, known)), 0.01);
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
