// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/heuristic_ranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "jit/x86/vector_isa.h"

namespace triode::tuner {
namespace {

class HeuristicRankerTest : public ::testing::Test {
 protected:
  Space space_for(const Problem& problem, int32_t cores) const {
    const std::vector<x86::IsaId> isas = {x86::IsaId::kAvx2};
    return std::move(x86::gemm_space(problem, isas, cores)).take();
  }

  HeuristicRanker ranker_;
  const Problem problem_ = Problem::mm(DType::kF32, 48, 40, 33);
  const Space space_ = space_for(problem_, 1);
};

TEST_F(HeuristicRankerTest, BeginsWithTheBestGuess) {
  const std::vector<Config> proposed = ranker_.propose(problem_, space_, {}, 16);
  ASSERT_EQ(proposed.size(), 16u);
  EXPECT_EQ(proposed[0], x86::promising_configs(space_, problem_)[0]);
}

TEST_F(HeuristicRankerTest, ProposesLegalConfigsThatAreNew) {
  std::vector<Trial> tried;
  for (int round = 0; round < 10; ++round) {
    for (const Config& config : ranker_.propose(problem_, space_, tried, 16)) {
      ASSERT_TRUE(space_.is_legal(config));
      ASSERT_TRUE(std::none_of(tried.begin(), tried.end(),
                               [&](const Trial& trial) { return trial.config == config; }));
      tried.push_back({config, {}, {1000, 1000, 0, 3}});
    }
  }
  EXPECT_GT(tried.size(), 100u);
}

TEST_F(HeuristicRankerTest, SameArgumentsGiveTheSameProposals) {
  const std::vector<Trial> tried = {{ranker_.propose(problem_, space_, {}, 1)[0], {}, {}}};
  EXPECT_EQ(ranker_.propose(problem_, space_, tried, 50),
            HeuristicRanker().propose(problem_, space_, tried, 50));
}

TEST_F(HeuristicRankerTest, TriesThreadsWhereTheCallMayUseThem) {
  Problem threaded = problem_;
  threaded.threads = 2;
  const Space space = space_for(threaded, 2);
  const size_t position = *space.position_of("threads");
  const std::vector<Config> proposed = ranker_.propose(threaded, space, {}, 16);
  const auto with = [&](int32_t threads) {
    return std::any_of(proposed.begin(), proposed.end(),
                       [&](const Config& config) { return config[position] == threads; });
  };
  EXPECT_TRUE(with(1));
  EXPECT_TRUE(with(2));
}

TEST_F(HeuristicRankerTest, ExpectsMoreOfSmallProblems) {
  EXPECT_GT(ranker_.expected_saving(Problem::mm(DType::kF32, 16, 16, 16)),
            ranker_.expected_saving(Problem::mm(DType::kF32, 2048, 2048, 2048)));
}

}  // namespace
}  // namespace triode::tuner
