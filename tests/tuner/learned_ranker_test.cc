// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/learned_ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/tuner/heuristic_ranker.h"
#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"
#include "tests/learner/stepping_clock.h"
#include "tests/tuner/cpu_snapshot.h"
#include "tests/tuner/model_runner.h"

namespace triode::tuner {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One that knows the made-up device, so that nothing is left to the fallback.
std::shared_ptr<const CostModel> made_up_model() {
  Snapshot snapshot = with_mechanism_features();
  snapshot.support.devices = {h100().name};
  return model_of(std::move(snapshot));
}

LearnedRankerOptions made_up_options(bool learns = true) {
  LearnedRankerOptions options;
  options.device = h100();
  options.family = KernelFamily::kInductor;
  options.learns = learns;
  return options;
}

Trial trial_of(const MadeUpSource& source, const Problem& problem, const Config& config) {
  const ReplayedTrial recorded = *source.trial(problem, config);
  if (!recorded.outcome.ok()) return {config, recorded.outcome, {}};
  return {config, {}, {recorded.median_ns, recorded.median_ns, 0, 3}};
}

struct Episode {
  std::vector<std::string> proposed;
  double log_regret_late = 0;  // mean over the last half of the problems
};

// Three trials for each problem, one problem after the other, as a tuner makes them.
Episode run_episode(bool learns) {
  const auto model = made_up_model();
  const MadeUpSource source(model);
  GridRanker fallback;
  LearnedRanker ranker(model, fallback, made_up_options(learns));
  const std::vector<Problem> problems = source.problems();
  const Space& space = triton_like_space();
  Episode episode;
  for (size_t p = 0; p < problems.size(); ++p) {
    double found = 3 * source.best_ns(problems[p], all_configs());  // if none of the three runs
    for (const Config& config : ranker.propose(problems[p], space, {}, 3)) {
      episode.proposed.push_back(space.to_string(config));
      const Trial trial = trial_of(source, problems[p], config);
      ranker.learn(problems[p], space, trial);
      if (trial.outcome.ok()) found = std::min(found, trial.measurement.min_ns);
    }
    if (2 * p < problems.size()) continue;
    episode.log_regret_late += std::log(found / source.best_ns(problems[p], all_configs())) /
                               (0.5 * static_cast<double>(problems.size()));
  }
  return episode;
}

TEST(LearnedRanker, EndsWithLessRegretThanWithoutUpdates) {
  EXPECT_LT(run_episode(true).log_regret_late, 0.7 * run_episode(false).log_regret_late);
}

TEST(LearnedRanker, SameTrialsGiveTheSameProposals) {
  EXPECT_THAT(run_episode(true).proposed, ElementsAreArray(run_episode(true).proposed));
}

TEST(LearnedRanker, WhatItLearnsChangesWhatItProposes) {
  EXPECT_NE(run_episode(true).proposed, run_episode(false).proposed);
}

class LearnedRankerTest : public ::testing::Test {
 protected:
  LearnedRanker ranker_with(LearnedRankerOptions options) {
    return LearnedRanker(model_, fallback_, std::move(options));
  }
  const std::shared_ptr<const CostModel> model_ = made_up_model();
  const MadeUpSource source_{model_};
  const Problem problem_ = source_.problems().front();
  const Space& space_ = triton_like_space();
  GridRanker fallback_;
};

TEST_F(LearnedRankerTest, ProposesNothingTwice) {
  LearnedRanker ranker = ranker_with(made_up_options());
  std::vector<Trial> tried;
  std::set<Config> seen;
  for (int round = 0; round < 4; ++round) {
    for (const Config& config : ranker.propose(problem_, space_, tried, 8)) {
      EXPECT_TRUE(seen.insert(config).second);
      tried.push_back(trial_of(source_, problem_, config));
      ranker.learn(problem_, space_, tried.back());
    }
  }
  EXPECT_THAT(seen, SizeIs(32));
}

TEST_F(LearnedRankerTest, StopsWhereMoreIsNotWorthIt) {
  LearnedRankerOptions options = made_up_options();
  options.policy.noise = 1e9;
  LearnedRanker ranker = ranker_with(options);
  std::vector<Trial> tried;
  for (const Config& config : ranker.propose(problem_, space_, {}, options.least_trials)) {
    tried.push_back(trial_of(source_, problem_, config));
  }
  ASSERT_THAT(tried, SizeIs(options.least_trials));
  EXPECT_THAT(ranker.propose(problem_, space_, tried, 8), IsEmpty());
  tried.pop_back();
  EXPECT_THAT(ranker.propose(problem_, space_, tried, 8), SizeIs(8));
}

TEST_F(LearnedRankerTest, LeavesToTheFallbackWhatTheModelDoesNotKnow) {
  LearnedRanker ranker = ranker_with(made_up_options());
  const Problem bytes = Problem::mm(DType::kI8, 64, 64, 64);
  EXPECT_THAT(ranker.propose(bytes, space_, {}, 5),
              ElementsAreArray(fallback_.propose(bytes, space_, {}, 5)));
}

TEST_F(LearnedRankerTest, GivesTheFallbackHalfWhereTheModelExtrapolates) {
  LearnedRankerOptions options = made_up_options();
  options.device = a100();
  LearnedRanker ranker = ranker_with(options);
  const std::vector<Config> guesses = fallback_.propose(problem_, space_, {}, 64);
  const std::vector<Config> proposed = ranker.propose(problem_, space_, {}, 8);
  ASSERT_THAT(proposed, SizeIs(8));
  const auto is_guess = [&](const Config& config) {
    return std::find(guesses.begin(), guesses.begin() + 8, config) != guesses.begin() + 8;
  };
  EXPECT_GE(std::count_if(proposed.begin(), proposed.end(), is_guess), 4);
}

TEST_F(LearnedRankerTest, LearnsNothingFromWhatDidNotRun) {
  LearnedRanker ranker = ranker_with(made_up_options());
  const Config config = all_configs().front();
  ranker.learn(problem_, space_, {config, {OutcomeKind::kCrashed, "so"}, {}});
  ranker.learn(problem_, space_, {config, {}, {0, 0, 0, 0}});
  ranker.learn(problem_, space_, {config, {}, {NAN, NAN, 0, 3}});
  EXPECT_EQ(ranker.learner().state(made_up_options().device.name), model_->snapshot().online);
}

TEST_F(LearnedRankerTest, WithoutTheNetsForItTheFallbackGuessesTheSaving) {
  LearnedRankerOptions options = made_up_options();
  options.space_of = [](const Problem&) -> Result<Space> { return triton_like_space(); };
  EXPECT_EQ(ranker_with(options).expected_saving(problem_), fallback_.expected_saving(problem_));
}

// Nets that only know a constant: the vendor takes e^0 of the least time, any config e^level.
Snapshot with_constant_levels(Snapshot snapshot, double level) {
  for (const NetRole role : {NetRole::kLevel, NetRole::kVendor}) {
    Net net = drawn_net(role, 1);
    for (DenseLayer& layer : net.layers) {
      std::fill(layer.weights.begin(), layer.weights.end(), 0.0f);
      std::fill(layer.bias.begin(), layer.bias.end(), 0.0f);
    }
    if (role == NetRole::kLevel) net.layers.back().bias = {static_cast<float>(level)};
    snapshot.nets.push_back(std::move(net));
  }
  return snapshot;
}

double saving_by_nets(double level, const Problem& problem) {
  Snapshot snapshot = with_constant_levels(small_snapshot(), level);
  LearnedRankerOptions options = made_up_options();
  options.space_of = [](const Problem&) -> Result<Space> { return triton_like_space(); };
  GridRanker fallback;
  LearnedRanker ranker(model_of(std::move(snapshot)), fallback, std::move(options));
  const double first = ranker.expected_saving(problem);
  EXPECT_EQ(ranker.expected_saving(problem), first);
  return first;
}

TEST_F(LearnedRankerTest, PredictsTheSavingByItsLevels) {
  EXPECT_NEAR(saving_by_nets(std::log(0.7), problem_), 0.3, 1e-5);
  EXPECT_GT(saving_by_nets(std::log(2), problem_), 0) << "a prediction takes no call out of queue";
}

// One that knows the made-up device and predicts such a share of the vendor's time for each config.
std::shared_ptr<const CostModel> model_with_share(double share) {
  Snapshot snapshot = with_constant_levels(with_mechanism_features(), std::log(share));
  snapshot.support.devices = {h100().name};
  return model_of(std::move(snapshot));
}

class LearnedRankersChoice : public LearnedRankerTest {
 protected:
  std::optional<Config> choice(double share, const LearnedRankerOptions& options,
                               std::span<const Trial> known = {}) {
    return LearnedRanker(model_with_share(share), fallback_, options)
        .choose(problem_, space_, known);
  }
};

TEST_F(LearnedRankersChoice, IsWhatItRanksFirst) {
  const auto model = model_with_share(0.5);
  const std::vector<Config> configs = space_.enumerate();
  const Ranking ranking =
      model->rank({problem_, space_, h100(), KernelFamily::kInductor}, configs).value();
  EXPECT_EQ(choice(0.5, made_up_options()), configs[ranking.candidates[0].index]);
}

TEST_F(LearnedRankersChoice, IsNoneThatFailedBefore) {
  const Config first = choice(0.5, made_up_options()).value();
  const Trial failed{first, {OutcomeKind::kCrashed, "so"}, {}};
  const std::optional<Config> second = choice(0.5, made_up_options(), {&failed, 1});
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*second, first);
}

TEST_F(LearnedRankersChoice, IsNoneThatSavesLittle) {
  EXPECT_FALSE(choice(0.95, made_up_options()).has_value());
  EXPECT_TRUE(choice(0.85, made_up_options()).has_value());
}

TEST_F(LearnedRankersChoice, IsNoneOnADeviceThatItDoesNotKnow) {
  LearnedRankerOptions options = made_up_options();
  options.device = a100();
  EXPECT_FALSE(choice(0.5, options).has_value());
}

TEST_F(LearnedRankersChoice, IsNoneWithoutNetsForTheTimes) {
  LearnedRanker ranker = ranker_with(made_up_options());
  EXPECT_FALSE(ranker.choose(problem_, space_, {}).has_value());
}

// Timings that are reviewed, and what comes of them.
class LearnedRankersReflection : public ::testing::Test {
 protected:
  LearnedRankersReflection() {
    options_.slow.recipe = {.learning_rate = 3e-3, .seed = 3};
    options_.slow.steps = 200;
    options_.log = [this](const std::string& line) { log_.push_back(line); };
    options_.on_better = [this](const Snapshot& snapshot, const GateVerdict& verdict,
                                const std::string& before) {
      EXPECT_TRUE(verdict.passed);
      EXPECT_EQ(before, model_->digest());
      better_.push_back(snapshot);
    };
  }
  static std::vector<Trial> trials_of(const HeldBackProblem& timed) {
    std::vector<Trial> trials;
    for (size_t i = 0; i < timed.configs.size(); ++i) {
      const double ns = 1e9 * timed.seconds[i];
      trials.push_back({timed.configs[i], {}, {ns, ns, 0, 3}});
    }
    return trials;
  }
  void reflect(LearnedRanker& ranker) {
    while (ranker.reflect(clock_, std::chrono::milliseconds(50))) {
    }
  }

  const std::shared_ptr<const CostModel> model_ = model_of(model_of_an_a100());
  const std::vector<HeldBackProblem> timings_ =
      made_up_timings(std::make_shared<const MadeUpSource>(model_, 0.06));
  SteppingClock clock_{std::chrono::milliseconds(1)};
  GridRanker fallback_;
  LearnedRankerOptions options_ = made_up_options();
  std::vector<std::string> log_;
  std::vector<Snapshot> better_;
};

TEST_F(LearnedRankersReflection, MakesABetterModelOfWhatWasReviewed) {
  LearnedRanker ranker(model_, fallback_, options_);
  EXPECT_FALSE(ranker.reflect(clock_, std::chrono::milliseconds(50)));
  for (const HeldBackProblem& timed : timings_) {
    ranker.review(timed.problem, *timed.space, trials_of(timed));
  }
  reflect(ranker);
  ASSERT_THAT(better_, SizeIs(1));
  EXPECT_EQ(ranker.model()->digest(), snapshot_digest(better_[0]));
  EXPECT_NE(ranker.model()->digest(), model_->digest());
  ASSERT_THAT(log_, SizeIs(1));
  EXPECT_THAT(log_[0], ::testing::HasSubstr("swapped in"));
}

TEST_F(LearnedRankersReflection, KeepsTheModelIfWhatWasReviewedIsPoison) {
  ReplayBuffer sides(options_.slow.buffer);
  for (const HeldBackProblem& timed : timings_) ASSERT_TRUE(sides.add(timed).ok());
  LearnedRanker ranker(model_, fallback_, options_);
  for (HeldBackProblem timed : sides.replayed()) {
    const double least = *std::min_element(timed.seconds.begin(), timed.seconds.end());
    for (double& seconds : timed.seconds) seconds = 40 * least * least / seconds;
    ranker.review(timed.problem, *timed.space, trials_of(timed));
  }
  for (const HeldBackProblem& timed : sides.held_back()) {
    ranker.review(timed.problem, *timed.space, trials_of(timed));
  }
  reflect(ranker);
  EXPECT_THAT(better_, IsEmpty());
  EXPECT_EQ(ranker.model()->digest(), model_->digest());
  ASSERT_THAT(log_, SizeIs(1));
  EXPECT_THAT(log_[0], ::testing::HasSubstr("rolled back"));
}

// As in a tuner, where the space is far too large to be ranked as a whole.
TEST(LearnedRankerOnACpu, ProposesLegalConfigsOfALargeSpace) {
  LearnedRankerOptions options;
  options.device.name = "some cpu";
  HeuristicRanker fallback;
  LearnedRanker ranker(model_of(cpu_snapshot(options.device)), fallback, options);
  const Problem problem = Problem::mm(DType::kF32, 50, 60, 70);
  const Space space =
      x86::gemm_space(problem, std::vector{x86::IsaId::kAvx2, x86::IsaId::kAvx512}, 1).value();
  ASSERT_GT(space.product_size(), options.pool);
  const std::vector<Config> proposed = ranker.propose(problem, space, {}, 16);
  EXPECT_THAT(proposed, SizeIs(16));
  for (const Config& config : proposed) EXPECT_TRUE(space.is_legal(config));
  EXPECT_NE(proposed, fallback.propose(problem, space, {}, 16));
}

}  // namespace
}  // namespace triode::tuner
