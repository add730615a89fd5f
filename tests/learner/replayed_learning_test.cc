// SPDX-License-Identifier: Apache-2.0
// The learner, its policies and the replay device together, on a small device made up for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/random.h"
#include "learner/model/online_learner.h"
#include "learner/model/policy.h"
#include "runtime/device/replay_device.h"
#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

struct Episode {
  double log_regret_late = 0;  // mean over the last half of the problems
  std::vector<uint32_t> picked;
};

// Three timings for each problem, one problem after the other.
Episode run_episode(bool learns, uint64_t seed) {
  const auto model = model_of(with_mechanism_features());
  const auto source = std::make_shared<const MadeUpSource>(model);
  ReplayDevice device(source, seed);
  OnlineLearner learner(model);
  Random random(seed);
  const std::vector<Config> all = all_configs();
  std::vector<Config> configs;
  for (size_t i = 0; i < all.size(); i += 5) configs.push_back(all[i]);
  const std::vector<Problem> problems = source->problems();
  Episode episode;
  for (size_t p = 0; p < problems.size(); ++p) {
    const RankingTask task = task_of(problems[p], h100());
    const Ranking ranking = *learner.rank(task, configs);
    const Proposal proposal = propose(ranking, learner.state(h100().name), {}, {}, random);
    double found = HUGE_VAL;
    std::vector<TimedConfig> timed;
    for (const uint32_t pick : proposal.picks) {
      const Config& config = configs[ranking.candidates[pick].index];
      episode.picked.push_back(ranking.candidates[pick].index);
      const auto artifact = device.build(problems[p], config);
      if (!artifact.ok()) continue;
      const auto pair = device.time(**artifact, {}, {}, {});
      timed.push_back({config, pair->candidate.median_ns * 1e-9});
      found = std::min(found, source->trial(problems[p], config)->median_ns);
    }
    if (learns) {
      EXPECT_TRUE(learner.learn(task, timed).ok());
    }
    const double best = source->best_ns(problems[p], configs);
    if (2 * p >= problems.size()) {
      const double none_ran = std::log(3);
      episode.log_regret_late += (std::isinf(found) ? none_ran : std::log(found / best)) /
                                 (static_cast<double>(problems.size()) / 2);
    }
  }
  return episode;
}

TEST(ReplayedLearning, EndsWithLessRegretThanWithoutUpdates) {
  const Episode learned = run_episode(true, 1);
  const Episode frozen = run_episode(false, 1);
  EXPECT_LT(learned.log_regret_late, 0.5 * frozen.log_regret_late);
}

TEST(ReplayedLearning, RepeatsToTheDigit) {
  const Episode first = run_episode(true, 5);
  const Episode second = run_episode(true, 5);
  EXPECT_EQ(first.picked, second.picked);
  EXPECT_EQ(first.log_regret_late, second.log_regret_late);
}

// Mean ln regret of the first choice on an A100 whose times are what the model thought at first.
double regret_on_a100(const CostModel& first, const OnlineState& online) {
  const std::vector<Config> all = all_configs();
  std::vector<Config> configs;
  for (size_t i = 0; i < all.size(); i += 5) configs.push_back(all[i]);
  const std::vector<Problem> problems = MadeUpSource(nullptr).problems();
  double sum = 0;
  for (const Problem& problem : problems) {
    const RankingTask task = task_of(problem, a100());
    const std::vector<double> scores = *first.uncorrected_scores(task, configs);
    const uint32_t best = first.rank(task, configs)->candidates.front().index;
    const uint32_t choice = first.rank(task, configs, online)->candidates.front().index;
    sum += scores[choice] - scores[best];
  }
  return sum / static_cast<double>(problems.size());
}

TEST(ReplayedLearning, OfANewDeviceForgetsNothingOfTheOldOne) {
  // Its basis does not hold the new device's law: what it learns instead is of use there alone.
  const auto model = model_of(small_snapshot());
  OnlineLearner learner(model);
  for (const HeldBackProblem& timed :
       made_up_timings(std::make_shared<const MadeUpSource>(model))) {
    std::vector<TimedConfig> batch;
    for (size_t i = 0; i < timed.configs.size(); i += 3) {
      batch.push_back({timed.configs[i], timed.seconds[i]});
    }
    ASSERT_GT(learner.learn(task_of(timed.problem, h100()), batch)->used, 10u);
  }
  constexpr double kMostLoss = 0.002;  // 0.2 points of regret: the rule
  EXPECT_LE(regret_on_a100(*model, learner.state("a100")), kMostLoss);
  // What was learned would have cost more than that if all devices shared it.
  EXPECT_GT(regret_on_a100(*model, learner.state("h100")), kMostLoss);
}

}  // namespace
}  // namespace triode
