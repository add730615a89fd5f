// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_space.h"

#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

TEST(TritonSpace, KeepsStagesWithinSharedMemory) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF32, 512, 512, 512), {166912});
  ASSERT_TRUE(space.ok());
  const std::string tail = " group_m=8 num_stages=4 num_warps=8";
  EXPECT_TRUE(space->parse("block_m=128 block_n=64 block_k=32" + tail).ok());
  // 3 x 256 x 64 x 4 bytes are 192 KiB.
  EXPECT_THAT(space->parse("block_m=128 block_n=128 block_k=64" + tail),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("shared memory")));
}

TEST(TritonSpace, GivesEveryWarpWork) {
  const Result<Space> space = triton_space(Problem::mm(DType::kF16, 512, 512, 512), {166912});
  EXPECT_THAT(space->parse("block_m=16 block_n=16 block_k=32 group_m=8 num_stages=2 num_warps=8"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("warps")));
}

TEST(TritonSpace, HasSomethingForEveryTypeOfDot) {
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kTF32, DType::kF8E4M3}) {
    const Result<Space> space = triton_space(Problem::mm(type, 64, 64, 64), {});
    ASSERT_TRUE(space.ok());
    EXPECT_GT(space->count_legal(), 100u);
  }
}

TEST(TritonSpace, RefusesDoublesAndNothing) {
  EXPECT_THAT(triton_space(Problem::mm(DType::kF64, 64, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("types")));
  EXPECT_THAT(triton_space(Problem::mm(DType::kF16, 0, 64, 64), {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("empty")));
}

TEST(TritonSmem, IsOneTilePairForEachStageInFlight) {
  EXPECT_EQ(triton_smem_bytes(128, 64, 32, 3, 2), 2 * 192 * 32 * 2);
  EXPECT_EQ(triton_smem_bytes(128, 64, 32, 1, 2), 192 * 32 * 2);
}

}  // namespace
}  // namespace triode::cuda
