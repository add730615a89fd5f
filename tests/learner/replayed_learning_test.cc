// SPDX-License-Identifier: Apache-2.0
// The learner, its policies and the replay device together, on a small device made up for it.
#include <gtest/gtest.h>

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
    const Proposal proposal = propose(ranking, learner.state(), {}, {}, random);
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

}  // namespace
}  // namespace triode
