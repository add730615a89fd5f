// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_space.h"

#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

BlockLimits h100() {
  return {.smem_bytes = 232448, .capability = 90, .multiprocessors = 132};
}

Problem eight_bit(int64_t size) {
  Problem problem = Problem::mm(DType::kF8E4M3, size, size, size);
  problem.c_type = DType::kBF16;
  return problem;
}

std::string config_text(const std::string& tile, const std::string& sharing) {
  return tile + " group_m=1 num_stages=3 num_warps=4 " + sharing;
}

constexpr const char* kAlone = "split_k=1 persistent=0 tma=0";

TEST(TritonSpace, KeepsStagesWithinSharedMemory) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF32, 512, 512, 512), {});
  ASSERT_TRUE(space.ok());
  const std::string tail = std::string(" group_m=1 num_stages=4 num_warps=8 ") + kAlone;
  EXPECT_TRUE(space->parse("block_m=128 block_n=64 block_k=32" + tail).ok());
  // 3 x 256 x 64 x 4 bytes are 192 KiB.
  EXPECT_THAT(space->parse("block_m=128 block_n=128 block_k=64" + tail),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("shared memory")));
}

TEST(TritonSpace, GivesEveryWarpWork) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF16, 512, 512, 512), {});
  ASSERT_TRUE(space.ok());
  EXPECT_THAT(
      space->parse(
          std::string("block_m=16 block_n=16 block_k=32 group_m=1 num_stages=2 num_warps=8 ") +
          kAlone),
      FailsWith(StatusCode::kInvalidArgument, HasSubstr("warps")));
}

TEST(TritonSpace, KeepsAccumulatorsInRegisters) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF16, 512, 512, 512), {});
  ASSERT_TRUE(space.ok());
  EXPECT_THAT(space->parse(config_text("block_m=128 block_n=256 block_k=16", kAlone)),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("registers")));
}

TEST(TritonSpace, HasSomethingForEveryTypeOfDot) {
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kTF32}) {
    const Result<Space> space = triton_space(Problem::mm(type, 64, 64, 64), {});
    ASSERT_TRUE(space.ok());
    EXPECT_GT(space->count_legal(), 100u);
  }
  const Result<Space> space = triton_space(eight_bit(64), h100());
  ASSERT_TRUE(space.ok()) << space.status().to_string();
  EXPECT_GT(space->count_legal(), 100u);
}

TEST(TritonSpace, IsLargeForALargeProblem) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF16, 4096, 4096, 4096), {});
  ASSERT_TRUE(space.ok());
  EXPECT_GE(space->count_legal(), 1400u);
}

TEST(TritonSpace, RefusesWhatTheKernelDoesNotDo) {
  EXPECT_THAT(triton_space(Problem::mm(DType::kF64, 64, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("types")));
  EXPECT_THAT(triton_space(Problem::mm(DType::kI8, 64, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("types")));
  EXPECT_THAT(triton_space(Problem::mm(DType::kF16, 0, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("empty")));
  EXPECT_THAT(triton_space(eight_bit(64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("sm_89")));
  EXPECT_THAT(triton_space(Problem::mm(DType::kF16, int64_t{1} << 31, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("2^31")));
}

TEST(TritonSpace, SplitsKOnlyWhereMultiprocessorsAreIdle) {
  const std::string tile = "block_m=64 block_n=64 block_k=32";
  const std::string split = config_text(tile, "split_k=8 persistent=0 tma=0");
  const Result<Space> few = triton_space(Problem::mm(DType::kF16, 64, 64, 4096), {});
  const Result<Space> many = triton_space(Problem::mm(DType::kF16, 4096, 4096, 4096), {});
  const Result<Space> shallow = triton_space(Problem::mm(DType::kF16, 64, 64, 64), {});
  ASSERT_TRUE(few.ok() && many.ok() && shallow.ok());
  EXPECT_TRUE(few->parse(split).ok());
  EXPECT_THAT(many->parse(split),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("work already")));
  EXPECT_THAT(shallow->parse(split),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("fewer blocks of k")));
}

TEST(TritonSpace, HasPersistentBlocksOnlyWhereEachHasSeveralPieces) {
  const std::string persistent =
      config_text("block_m=64 block_n=64 block_k=32", "split_k=1 persistent=1 tma=0");
  const Result<Space> few = triton_space(Problem::mm(DType::kF16, 256, 256, 256), {});
  const Result<Space> many = triton_space(Problem::mm(DType::kF16, 4096, 4096, 4096), {});
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_THAT(few->parse(persistent),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("single piece")));
  EXPECT_TRUE(many->parse(persistent).ok());
}

TEST(TritonSpace, HasDescriptorsOnlyWhereTheDeviceAndTheRowsAllow) {
  const std::string tma =
      config_text("block_m=64 block_n=64 block_k=32", "split_k=1 persistent=1 tma=1");
  Problem problem = Problem::mm(DType::kF16, 4096, 4096, 4096);
  EXPECT_TRUE(triton_space(problem, h100())->parse(tma).ok());
  EXPECT_FALSE(triton_space(problem, {})->parse(tma).ok());
  problem.lda += 4;  // rows of 8 bytes more
  EXPECT_FALSE(triton_space(problem, h100())->parse(tma).ok());
  problem.lda += 4;
  problem.alignment_bytes = 8;
  EXPECT_FALSE(triton_space(problem, h100())->parse(tma).ok());
}

TEST(TritonSmem, IsOneTilePairForEachStageInFlight) {
  const Problem problem = Problem::mm(DType::kF16, 512, 512, 512);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 3, 4}, problem, 80), 2 * 192 * 32 * 2);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 1, 4}, problem, 80), 192 * 32 * 2);
}

TEST(TritonSmem, HoldsTheTileBeingComputedWhereItIsMultipliedFromThere) {
  const Problem problem = Problem::mm(DType::kF16, 512, 512, 512);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 3, 4}, problem, 90), 3 * 192 * 32 * 2);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 3, 2}, problem, 90), 2 * 192 * 32 * 2);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 3, 8}, problem, 100), 3 * 192 * 32 * 2);
  EXPECT_EQ(triton_smem_bytes({128, 64, 32, 8, 3, 16}, problem, 100), 2 * 192 * 32 * 2);
}

}  // namespace
}  // namespace triode::cuda
