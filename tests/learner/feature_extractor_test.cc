// SPDX-License-Identifier: Apache-2.0
#include "learner/model/feature_extractor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "tests/core/status_matchers.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

FeatureExtractor extractor_of(const RankingTask& task) {
  Result<FeatureExtractor> extractor = FeatureExtractor::make(task);
  EXPECT_TRUE(extractor.ok());
  return std::move(extractor).take();
}

std::vector<float> features_of(const RankingTask& task, const Config& config) {
  const FeatureExtractor extractor = extractor_of(task);
  std::vector<float> features(extractor.table().size());
  extractor.extract({&config, 1}, features.data(), 1);
  return features;
}

void expect_features(const std::vector<float>& features, const std::vector<double>& expected) {
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  ASSERT_EQ(features.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(features[i], expected[i], 2e-5 * std::max(1.0, std::abs(expected[i])))
        << table.features[i].name;
  }
}

// The expected values were computed from the formulas with six digits, apart from this code. Of the
// first: 8 x 8 tiles, 32 steps over k, 2 x 256 x 32 x 2 = 32 KiB of shared memory, 128 accumulators
// and so 184 registers a thread, which let two blocks onto a multiprocessor.
TEST(GpuFeatures, OfASquareHalfPrecisionProduct) {
  const Problem problem = Problem::mm(DType::kF16, 1024, 1024, 1024);
  const RankingTask task = task_of(problem);
  expect_features(
      features_of(task, triton_config(128, 128, 32, 3, 4)),
      {10,       10,       10,       0,        2,         0,         0,        0,       0,
       7,        7,        7,        8.41504,  -16.4876,  0.76655,   1,        0,       6.75489,
       0,        7.64849,  25.2535,  7,        7,         5,         3,        0,       3,
       2,        14,       0,        6,        7,         15,        0.196319, 1,       2,
       2,        3,        3,        6,        5,         3.41504,   0,        0,       0,
       0,        0,        -1.75489, -1.75489, -0.754888, -0.754888, 0,        2.41504, 0.915846,
       -1.25759, 0.209395, -1.12207, 1.17263,  6,         8,         0,        0,       0,
       0,        0,        0,        0});
}

// A stored k x m, so that a warpgroup reads it the slow way round; k is no multiple of the block.
TEST(GpuFeatures, OfATransposedTf32ProductOnHopper) {
  const Problem problem = Problem::mm(DType::kTF32, 512, 4096, 1000, true, false);
  const RankingTask task = task_of(problem, h100());
  expect_features(
      features_of(task, triton_config(64, 128, 32, 4, 4)),
      {9,         12,       9.96578,    0,       4,       0,         1,          1,
       0,         7,        7,          7,       7.28895, -16.075,   0.389251,   1,
       0,         7.04439,  1,          6.8997,  25.5754, 6,         7,          5,
       3,         0,        4,          2,       13,      -1,        5.41504,    6,
       16.1699,   0.317181, 1.58496,    1.58496, 3,       3,         5,          8,
       5,         3,        -0.0342157, 0,       0,       0,         -0.0342157, -0.629357,
       -0.629357, 0.955606, -0.0443941, 0,       2.90812, -0.065666, -0.855455,  0.88994,
       -1.98209,  1.09033,  8,          9,       1,       1,         0,          1,
       1,         0,        0});
}

// Odd sizes and leading dimensions, a small tile, and the multipliers of plain float.
TEST(GpuFeatures, OfASmallOddFloatProduct) {
  const Problem problem = Problem::mm(DType::kF32, 33, 257, 511, false, true);
  const RankingTask task = task_of(problem);
  expect_features(
      features_of(task, triton_config(16, 32, 16, 3, 2)),
      {5.04439,  8.00562,   8.99718,   0,         4,         1,        0,           0,
       1,        2,         2,         2,         3.78982,   -17.7796, 0.141332,    1,
       0,        6.75489,   0,         3.64849,   25.2535,   4,        5,           4,
       3,        0,         3,         1,         9,         -1,       3.41504,     3,
       12.585,   0.0368098, 4,         4.52356,   1,         1.58496,  3.16993,     4.75489,
       5,        3.41504,   -0.707689, -0.704869, -0.540568, -0.1643,  -0.00282052, -6,
       -6,       -2,        -2,        0,         2.08247,   1.29279,  -2.04809,    -0.913662,
       0.735507, 1.74416,   6,         6,         0,         0,        0,           0,
       0,        0,         0});
}

TEST(GpuFeatures, DoNotDependOnTheOtherConfigs) {
  const Problem problem = Problem::mm(DType::kF16, 300, 200, 100);
  const RankingTask task = task_of(problem);
  const FeatureExtractor extractor = extractor_of(task);
  const std::vector<Config> configs = all_configs();
  constexpr size_t kCount = 7;  // not a whole number of lanes
  std::vector<float> together(extractor.table().size() * kCount);
  extractor.extract(std::span(configs).first(kCount), together.data(), kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const std::vector<float> alone = features_of(task, configs[i]);
    for (size_t f = 0; f < alone.size(); ++f) ASSERT_EQ(alone[f], together[f * kCount + i]);
  }
}

TEST(GpuFeatures, AreFiniteForAnySize) {
  Random random(3);
  const std::vector<Config> configs = all_configs();
  for (int round = 0; round < 200; ++round) {
    const auto size = [&] { return int64_t{1} << random.below(24); };
    const Problem problem = Problem::mm(DType::kBF16, size(), size() + 1, size());
    for (const float value : features_of(task_of(problem), configs[random.below(432)])) {
      ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST(GpuFeatures, NeedTheParametersOfATileLoop) {
  Space space;
  space.add({"block_m", {16}, {}});
  const Problem problem = Problem::mm(DType::kF16, 64, 64, 64);
  EXPECT_THAT(FeatureExtractor::make({problem, space, a100(), KernelFamily::kTriton}),
              FailsWith(StatusCode::kUnsupported, ::testing::HasSubstr("block_n")));
}

TEST(GpuFeatures, RefuseAnEmptyProduct) {
  const Problem problem = Problem::mm(DType::kF16, 64, 0, 64);
  EXPECT_THAT(FeatureExtractor::make(task_of(problem)),
              FailsWith(StatusCode::kUnsupported, ::testing::HasSubstr("empty")));
}

TEST(GpuFeatures, KnowWhichStagesExceedSharedMemory) {
  const Problem problem = Problem::mm(DType::kF32, 512, 512, 512);
  const FeatureExtractor extractor = extractor_of(task_of(problem));
  // 2 x 256 x 64 x 4 bytes are 128 KiB; 4 of them 256 KiB.
  EXPECT_EQ(extractor.fit(triton_config(128, 128, 64, 3, 4)), Fit::kFits);
  EXPECT_EQ(extractor.fit(triton_config(128, 128, 64, 5, 4)), Fit::kTooMuchSharedMemory);
}

TEST(GpuFeatures, TellBlocksForWarpgroupsFromOthers) {
  const Problem problem = Problem::mm(DType::kF16, 512, 512, 512);
  const FeatureExtractor extractor = extractor_of(task_of(problem));
  EXPECT_EQ(extractor.mechanism(triton_config(64, 64, 32, 3, 4)), 1);
  EXPECT_EQ(extractor.mechanism(triton_config(64, 64, 32, 3, 2)), 0);
  EXPECT_EQ(extractor.mechanism(triton_config(16, 64, 32, 3, 4)), 0);
}

TEST(Roof, GrowsWithEveryDimension) {
  const Problem base = Problem::mm(DType::kF16, 512, 768, 1024);
  double last = 0;
  for (const int64_t factor : {1, 2, 4, 8, 16}) {
    const Problem problem = Problem::mm(DType::kF16, 512, 768, 1024 * factor);
    const double roof = extractor_of(task_of(problem)).roof_s();
    EXPECT_GT(roof, last);
    last = roof;
  }
  EXPECT_GT(last, extractor_of(task_of(base)).roof_s());
}

TEST(Roof, IsBelowWhatTheAnalyticalModelGivesAnyConfig) {
  const Problem problem = Problem::mm(DType::kF16, 4096, 4096, 4096);
  const FeatureExtractor extractor = extractor_of(task_of(problem));
  for (const Config& config : all_configs()) {
    EXPECT_GE(extractor.analytical_s(config), 0.999 * extractor.roof_s());
  }
}

}  // namespace
}  // namespace triode
