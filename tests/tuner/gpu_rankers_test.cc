// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/gpu_rankers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jit/cuda/nvrtc_gemm_space.h"
#include "jit/cuda/triton_space.h"
#include "runtime/tuner/trial_log.h"
#include "tests/runtime/temporary_folder.h"
#include "tools/tuner/ranker_by_place.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Target gpu(const std::string& device) {
  Target target;
  target.device = device;
  target.isa = "sm_80";
  return target;
}

// With the model that is shipped, promoted in a cache of the test's own.
class GpuRankersTest : public ::testing::Test {
 protected:
  GpuRankersTest() {
    ModelStore& models = *trials_->models();
    EXPECT_TRUE(models.promote(models.put("gpu", whole_file(TRIODE_GPU_SNAPSHOT), 1).value()).ok());
  }

  // The first batch on that GPU.
  std::vector<Config> first_batch(const Target& target, const Space& space) {
    GpuRankers rankers(trials_->models(), events_, uses_model_);
    return rankers.of(target).propose(problem_, space, {}, 8);
  }
  // Among these, those of the estimate's first ones.
  size_t by_the_estimate(const std::vector<Config>& batch) {
    const std::vector<Config> guesses = GpuRanker().propose(problem_, space_, {}, 8);
    return static_cast<size_t>(std::count_if(batch.begin(), batch.end(), [&](const Config& config) {
      return std::find(guesses.begin(), guesses.end(), config) != guesses.end();
    }));
  }
  // Those that the model ranks first of all, if it is asked itself.
  std::vector<Config> by_the_model() {
    const auto snapshot = load_snapshot(TRIODE_GPU_SNAPSHOT).value();
    const CostModel model = std::move(CostModel::make(snapshot)).take();
    const DeviceTraits a100 = traits_of(a100_).value();
    const std::vector<Config> all = space_.enumerate(1 << 20);
    const Ranking ranking =
        model.rank({problem_, space_, a100, KernelFamily::kInductor}, all).value();
    std::vector<Config> best;
    for (size_t i = 0; i < 64; ++i) best.push_back(all[ranking.candidates[i].index]);
    return best;
  }
  std::string log() const { return whole_file((folder_.path() / "tuner.log").string()); }

  TemporaryFolder folder_;
  EventLog events_{(folder_.path() / "tuner.log").string()};
  std::unique_ptr<TrialLog> trials_ =
      std::move(open_stored_trials((folder_.path() / "store").string(), SyncLevel::kNone)).take();
  bool uses_model_ = true;
  const Target a100_ = gpu("NVIDIA A100-SXM4-40GB");
  const Problem problem_ = Problem::mm(DType::kF16, 2048, 1024, 4096);
  const Space space_ = cuda::triton_space(problem_, cuda::BlockLimits{}).value();
};

TEST_F(GpuRankersTest, TakeHalfOfWhatTheyTryFromTheModelWhereItKnowsTheGpu) {
  const std::vector<Config> batch = first_batch(a100_, space_);
  ASSERT_THAT(batch, SizeIs(8));
  EXPECT_LE(by_the_estimate(batch), 5u);
  EXPECT_GE(by_the_estimate(batch), 3u);
  const std::vector<Config> best = by_the_model();
  EXPECT_GE(std::count_if(batch.begin(), batch.end(),
                          [&](const Config& config) {
                            return std::find(best.begin(), best.end(), config) != best.end();
                          }),
            3);
  for (const Config& config : batch) EXPECT_TRUE(space_.is_legal(config));
  EXPECT_THAT(log(), HasSubstr(" gpu-model name=gpu "));
  EXPECT_THAT(log(), HasSubstr("origin=promoted"));
}

TEST_F(GpuRankersTest, EstimateWhereTheModelHasNothingToSay) {
  EXPECT_EQ(by_the_estimate(first_batch(gpu("NVIDIA Unheard-of"), space_)), 8u);
  EXPECT_EQ(by_the_estimate(first_batch({}, space_)), 8u);
  // Kernels that are no relatives of what was trained.
  const Space nvrtc = cuda::nvrtc_gemm_space(problem_, cuda::BlockLimits{}).value();
  EXPECT_EQ(first_batch(a100_, nvrtc), GpuRanker().propose(problem_, nvrtc, {}, 8));
}

TEST_F(GpuRankersTest, EstimateWhereNoModelIsWanted) {
  uses_model_ = false;
  EXPECT_EQ(by_the_estimate(first_batch(a100_, space_)), 8u);
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(GpuRankersTest, LearnNothingOfOurKernelsForThoseOfAnother) {
  GpuRankers rankers(trials_->models(), events_, true);
  Ranker& ranker = rankers.of(a100_);
  const std::vector<Config> before = ranker.propose(problem_, space_, {}, 8);
  for (const Config& config : before)
    ranker.learn(problem_, space_, {config, {}, {1e9, 1e9, 0, 3}});
  EXPECT_EQ(ranker.propose(problem_, space_, {}, 8), before);
  EXPECT_FALSE(ranker.choose(problem_, space_, {}).has_value());
}

TEST_F(GpuRankersTest, AreAskedByTheGpuThatIsSearchedFor) {
  GpuRankers rankers(trials_->models(), events_, true);
  GpuRanker cpu;  // which no kernel here is for
  RankerByPlace by_place(cpu, rankers);
  EXPECT_EQ(by_the_estimate(by_place.propose(problem_, space_, {}, 8)), 8u);
  by_place.face(a100_);
  EXPECT_LT(by_the_estimate(by_place.propose(problem_, space_, {}, 8)), 8u);
  by_place.face(gpu("NVIDIA Unheard-of"));
  EXPECT_EQ(by_the_estimate(by_place.propose(problem_, space_, {}, 8)), 8u);
}

}  // namespace
}  // namespace triode::tuner
