// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "jit/x86/gemm_space.h"
#include "learner/model/feature_extractor.h"

namespace triode {
namespace {

// 32 KiB of L1, 1 MiB of L2, 32 MiB of L3, AVX2.
DeviceTraits cpu() {
  DeviceTraits traits;
  traits.name = "test cpu";
  traits.cpu.cores = 2;
  traits.cpu.l3_bytes = 32 << 20;
  return traits;
}

class CpuFeatures : public ::testing::Test {
 protected:
  static constexpr x86::IsaId kIsas[] = {x86::IsaId::kAvx2};

  void make(const Problem& given) {
    problem = given;
    space = *x86::gemm_space(problem, kIsas, 2);
    Result<FeatureExtractor> made =
        FeatureExtractor::make({problem, space, device, KernelFamily::kX86});
    ASSERT_TRUE(made.ok());
    extractor.emplace(std::move(made).take());
  }
  double feature(const x86::GemmConfig& typed, std::string_view name) const {
    const Config config = x86::to_config(typed);
    std::vector<float> features(extractor->table().size());
    extractor->extract({&config, 1}, features.data(), 1);
    return features[*extractor->table().position_of(name)];
  }

  Problem problem;
  Space space;
  DeviceTraits device = cpu();
  std::optional<FeatureExtractor> extractor;
};

// 6 x 16 of floats is two vectors wide: 12 sums and 3 registers for operands of 16; 8 loads for 12
// multiply-adds. 100 rows are 17 tiles of 102 rows; k of 512 in blocks of 128.
TEST_F(CpuFeatures, OfAnOuterProductTileByHand) {
  make(Problem::mm(DType::kF32, 100, 256, 512));
  x86::GemmConfig config;
  config.kc = 128;
  config.pack_b = x86::PackB::kWhole;
  EXPECT_NEAR(feature(config, "sums"), std::log2(12), 1e-5);
  EXPECT_NEAR(feature(config, "register_pressure"), 15.0 / 16, 1e-6);
  EXPECT_NEAR(feature(config, "loads_per_fma"), 8.0 / 12, 1e-6);
  EXPECT_NEAR(feature(config, "fill_m"), std::log2(100.0 / 102), 1e-5);
  EXPECT_NEAR(feature(config, "fill_n"), 0, 1e-6);
  EXPECT_NEAR(feature(config, "depth_blocks"), 2, 1e-6);
  EXPECT_NEAR(feature(config, "panel_in_l1"), std::log2(128.0 * 16 * 4 / 32768), 1e-5);
  EXPECT_NEAR(feature(config, "b_block_in_l2"), std::log2(128.0 * 256 * 4 / (1 << 20)), 1e-5);
  // b once: 512 x 256 floats of (100 x 512 + 512 x 256 + 100 x 256) in all.
  EXPECT_NEAR(feature(config, "packed"), std::log2(1 + 131072.0 / 207872), 1e-5);
  EXPECT_NEAR(feature(config, "intensity"), std::log2(2 * 100.0 * 256 * 512 / (207872 * 4)), 1e-5);
}

// 248 columns are 15 panels of two vectors and one of a single vector, whose tile is 14 rows tall:
// 15 * 17 + 8 tiles. A step along k takes 17 * 100 / 17 cycles in a full panel and 8 * 6.75 (12.5
// rows, 13.5 loads) in the last; a tile 128 turns and one more, 10 cycles and 1.5 a sum.
TEST_F(CpuFeatures, OfTheNarrowLastPanelByHand) {
  make(Problem::mm(DType::kF32, 100, 248, 512));
  const x86::GemmConfig config;
  EXPECT_NEAR(feature(config, "last_panel"), 0.5, 1e-6);
  EXPECT_NEAR(feature(config, "tiles"), std::log2(263), 1e-5);
  const double cycles = 512 * (15 * 100 + 8 * 6.75) + 263 * (129 + 28);
  const double roof = 2.0 * 100 * 248 * 512 / 32;
  EXPECT_NEAR(feature(config, "time_tile"), std::log2(cycles / roof), 1e-4);
}

// 512 in blocks of at most 384 are two of 256; 100 rows in blocks of 48 are three of 36, six tiles.
TEST_F(CpuFeatures, CutBlocksOfLikeSize) {
  make(Problem::mm(DType::kF32, 100, 248, 512));
  x86::GemmConfig config;
  config.kc = 384;
  config.mc = 48;
  EXPECT_NEAR(feature(config, "depth_block"), 8, 1e-6);
  EXPECT_NEAR(feature(config, "row_block"), std::log2(36), 1e-5);
  EXPECT_NEAR(feature(config, "row_blocks"), std::log2(3), 1e-5);
}

TEST_F(CpuFeatures, TellTheWaysOfFetchingAhead) {
  make(Problem::mm(DType::kF32, 100, 248, 512));
  x86::GemmConfig config;
  config.pack_b = x86::PackB::kPanel;
  EXPECT_EQ(feature(config, "prefetch_panel"), 0);
  config.prefetch_panel = 1;
  config.prefetch_a = x86::PrefetchA::kL2;
  EXPECT_EQ(feature(config, "prefetch_panel"), 1);
  EXPECT_EQ(feature(config, "prefetch_a"), 1);
  EXPECT_EQ(feature(config, "prefetch_a_far"), 1);
}

// Rows of 251 floats do not begin at multiples of a vector: every other load crosses a line.
TEST_F(CpuFeatures, CountLoadsThatCrossCacheLines) {
  make(Problem::mm(DType::kF32, 100, 251, 512));
  x86::GemmConfig config;
  EXPECT_NEAR(feature(config, "split_loads"), 1.0 / 6, 1e-6);
  config.pack_b = x86::PackB::kWhole;
  EXPECT_EQ(feature(config, "split_loads"), 0);
}

TEST_F(CpuFeatures, OfADotTileByHand) {
  make(Problem::mm(DType::kF64, 64, 10, 1001, false, true));
  x86::GemmConfig config;
  config.family = x86::Family::kDot;
  config.mr = 2;
  config.nr = 5;
  EXPECT_EQ(feature(config, "dot"), 1);
  EXPECT_NEAR(feature(config, "sums"), std::log2(10), 1e-5);
  EXPECT_NEAR(feature(config, "fill_k"), std::log2(1001.0 / 1004), 1e-5);  // 4 doubles a vector
  EXPECT_EQ(extractor->mechanism(x86::to_config(config)), 3);
}

TEST_F(CpuFeatures, ShareWorkOutBetweenThreads) {
  Problem two_threads = Problem::mm(DType::kF32, 101, 256, 512);
  two_threads.threads = 2;
  make(two_threads);
  x86::GemmConfig config;
  config.threads = 2;
  EXPECT_NEAR(feature(config, "balance"), std::log2(101.0 / 102), 1e-5);
  config.split = x86::ThreadSplit::kColumns;
  EXPECT_NEAR(feature(config, "balance"), 0, 1e-6);
}

// The kernels run a column result as a row result with the operands exchanged.
TEST_F(CpuFeatures, SeeAColumnResultAsARow) {
  make(Problem::mm(DType::kF32, 500, 1, 300));
  EXPECT_NEAR(extractor->problem_features()[0], 0, 1e-6);
  EXPECT_NEAR(extractor->problem_features()[1], std::log2(500), 1e-5);
}

TEST_F(CpuFeatures, AreFiniteOverTheSpace) {
  Random random(5);
  for (const Problem& each :
       {Problem::mm(DType::kF32, 8, 8, 8), Problem::mm(DType::kF64, 1, 77, 4096),
        Problem::mm(DType::kF32, 1000, 33, 17, true, true)}) {
    make(each);
    for (int i = 0; i < 200; ++i) {
      const Config config = *space.sample(random);
      std::vector<float> features(extractor->table().size());
      extractor->extract({&config, 1}, features.data(), 1);
      for (const float value : features) ASSERT_TRUE(std::isfinite(value));
      EXPECT_GT(extractor->analytical_s(config), 0);
    }
  }
}

}  // namespace
}  // namespace triode
