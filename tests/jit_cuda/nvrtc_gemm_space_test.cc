// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/cuda/nvrtc_gemm.h"
#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

TEST(NvrtcGemmSpace, HoldsConfigsThatFitADevice) {
  for (const DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    const Problem problem = Problem::mm(type, 512, 512, 512);
    const auto space = nvrtc_gemm_space(problem, {});
    ASSERT_TRUE(space.ok()) << space.status().to_string();
    const auto configs = space->enumerate();
    EXPECT_GT(configs.size(), 50u);
    for (const Config& config : configs) {
      const NvrtcGemmConfig choice = nvrtc_gemm_config(config);
      EXPECT_LE(threads_per_block(problem, choice), 1024);
      EXPECT_LE(shared_bytes(problem, choice), uses_tensor_cores(problem) ? 166912 : 49152);
    }
  }
}

TEST(NvrtcGemmSpace, ShrinksWithTheSharedMemoryOfTheTarget) {
  const Problem problem = Problem::mm(DType::kF16, 512, 512, 512);
  const auto large = nvrtc_gemm_space(problem, {166912});
  const auto small = nvrtc_gemm_space(problem, {49152});
  ASSERT_TRUE(large.ok() && small.ok());
  EXPECT_LT(small->count_legal(), large->count_legal());
}

TEST(NvrtcGemmSpace, RefusesWhatTheKernelsCannotDo) {
  Problem mixed = Problem::mm(DType::kF32, 64, 64, 64);
  mixed.b_type = DType::kF64;
  Problem epilogue = Problem::mm(DType::kF16, 64, 64, 64);
  epilogue.epilogue = Epilogue::kRelu;
  for (const Problem& problem : {mixed, epilogue, Problem::mm(DType::kI8, 64, 64, 64),
                                 Problem::mm(DType::kF32, 0, 64, 64)}) {
    EXPECT_FALSE(nvrtc_gemm_space(problem, {}).ok());
  }
  EXPECT_THAT(nvrtc_gemm_space(Problem::mm(DType::kI8, 64, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("f32, f64, f16 and bf16")));
}

TEST(NvrtcGemm, CopiesVectorsOnlyWhereEveryRowIsAligned) {
  Problem problem = Problem::mm(DType::kF16, 64, 64, 64);
  EXPECT_TRUE(rows_are_on_16_bytes(problem));
  problem.ldb = 65;
  EXPECT_FALSE(rows_are_on_16_bytes(problem));
  problem.ldb = 72;
  EXPECT_TRUE(rows_are_on_16_bytes(problem));
  problem.alignment_bytes = 8;
  EXPECT_FALSE(rows_are_on_16_bytes(problem));
}

TEST(NvrtcGemm, CoversCWithItsGrid) {
  const auto launch =
      nvrtc_gemm_launch(Problem::mm(DType::kF16, 65, 64, 8), {64, 32, 16, 32, 16, 2, 1});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->grid[0], 4u);
  EXPECT_EQ(launch->threads, 128u);
}

TEST(NvrtcGemm, RefusesAGridThatNoDeviceTakes) {
  EXPECT_THAT(nvrtc_gemm_launch(Problem::mm(DType::kF16, int64_t{1} << 26, int64_t{1} << 26, 1),
                                {64, 64, 16, 32, 32, 2, 1}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("grid")));
}

}  // namespace
}  // namespace triode::cuda
