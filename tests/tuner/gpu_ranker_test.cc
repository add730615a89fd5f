// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/gpu_ranker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "jit/cuda/nvrtc_gemm_space.h"
#include "jit/cuda/triton_space.h"

namespace triode::tuner {
namespace {

class GpuRankerTest : public ::testing::Test {
 protected:
  static Space space_of(const Problem& problem) {
    return cuda::nvrtc_gemm_space(problem, cuda::BlockLimits{}).value();
  }
  static int64_t block_of(const Space& space, const Config& config) {
    return int64_t{config[*space.position_of("block_m")]} * config[*space.position_of("block_n")];
  }

  GpuRanker ranker_;
  const Problem problem_ = Problem::mm(DType::kF16, 512, 512, 512);
  const Space space_ = space_of(problem_);
};

TEST_F(GpuRankerTest, ProposesLegalConfigsThatAreNew) {
  std::vector<Trial> tried;
  for (int round = 0; round < 4; ++round) {
    for (const Config& config : ranker_.propose(problem_, space_, tried, 4)) {
      ASSERT_TRUE(space_.is_legal(config));
      ASSERT_TRUE(std::none_of(tried.begin(), tried.end(),
                               [&](const Trial& trial) { return trial.config == config; }));
      tried.push_back({config, {}, {1000, 1000, 0, 3}});
    }
  }
  EXPECT_EQ(tried.size(), 16u);
}

TEST_F(GpuRankerTest, EndsWhereTheSpaceEnds) {
  const std::vector<Config> all = ranker_.propose(problem_, space_, {}, 1 << 20);
  EXPECT_EQ(all.size(), space_.enumerate(1 << 20).size());
}

TEST_F(GpuRankerTest, TakesSmallBlocksForSmallProblems) {
  const Problem small = Problem::mm(DType::kF16, 64, 64, 512);
  const Problem large = Problem::mm(DType::kF16, 8192, 8192, 512);
  const Space small_space = space_of(small), large_space = space_of(large);
  const Config of_small = ranker_.propose(small, small_space, {}, 1).front();
  const Config of_large = ranker_.propose(large, large_space, {}, 1).front();
  EXPECT_LT(block_of(small_space, of_small), block_of(large_space, of_large));
}

}  // namespace
}  // namespace triode::tuner
