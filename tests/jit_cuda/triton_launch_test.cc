// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_launch.h"

#include <gtest/gtest.h>

#include <cstring>

namespace triode::cuda {
namespace {

TritonFunction function_of(int block_m, int block_n) {
  TritonFunction function;
  function.entry = "e";
  function.threads = 128;
  function.shared_bytes = 50000;
  function.registers = 100;
  function.block_m = block_m;
  function.block_n = block_n;
  return function;
}

Problem batched(int64_t batch) {
  Problem problem = Problem::mm(DType::kF16, 100, 70, 50);
  problem.op = Op::kBmm;
  problem.batch = batch;
  problem.make_tight();
  return problem;
}

TEST(TritonGrid, HasABlockForEachPieceOfEachMatrixAndShare) {
  TritonFunction function = function_of(32, 64);
  EXPECT_EQ(triton_grid(function, Problem::mm(DType::kF16, 100, 70, 50), {}), 4u * 2u);
  EXPECT_EQ(triton_grid(function, batched(3), {}), 3u * 4u * 2u);
  function.splits = 5;
  EXPECT_EQ(triton_grid(function, batched(3), {}), 5u * 3u * 4u * 2u);
}

TEST(TritonGrid, OfPersistentBlocksIsWhatRunsAtOnce) {
  TritonFunction function = function_of(32, 64);
  function.is_persistent = true;
  const Problem large = Problem::mm(DType::kF16, 8192, 8192, 64);
  EXPECT_EQ(triton_grid(function, large, {}), 108u * 3u);  // by shared memory
  function.shared_bytes = 0;
  function.registers = 250;
  EXPECT_EQ(triton_grid(function, large, {}), 108u * 2u);  // by registers
  function.registers = 32;
  EXPECT_EQ(triton_grid(function, large, {}), 108u * 16u);  // by threads
  function.shared_bytes = 166912;
  EXPECT_EQ(triton_grid(function, large, {}), 108u);
  EXPECT_EQ(triton_grid(function, batched(3), {}), 3u * 4u * 2u);  // no more than there are pieces
}

TEST(TritonWorkspace, HoldsTheSumsOfEveryShareAndTheScratchOfEveryBlock) {
  TritonKernel kernel;
  kernel.functions = {function_of(32, 64)};
  EXPECT_EQ(triton_workspace_bytes(kernel, batched(3), {}), 0u);
  kernel.functions[0].scratch_bytes = 256;
  EXPECT_EQ(triton_workspace_bytes(kernel, batched(3), {}), 256u * 24u);
  kernel.functions[0].scratch_bytes = 0;
  kernel.functions[0].splits = 5;
  kernel.functions.push_back(function_of(8, 128));
  EXPECT_EQ(triton_workspace_bytes(kernel, batched(3), {}), 5u * 3u * 100u * 70u * 4u);
}

template <typename T>
T at(const std::vector<std::byte>& buffer, size_t offset) {
  T value;
  std::memcpy(&value, &buffer[offset], sizeof value);
  return value;
}

TEST(TritonParameters, StandWhereTheCompilerPutThem) {
  TritonFunction function = function_of(32, 64);
  function.parameters = {{TritonRole::kC, 0, 8},
                         {TritonRole::kM, 8, 4},
                         {TritonRole::kAlpha, 12, 4},
                         {TritonRole::kLda, 16, 8},
                         {TritonRole::kCStride, 24, 8},
                         {TritonRole::kGlobalScratch, 32, 8},
                         {TritonRole::kProfileScratch, 40, 8}};
  TritonValues values;
  values.c = 0x123456789abcdef0;
  values.workspace = 77;
  values.alpha = 0.5f;
  const auto buffer = triton_parameters(function, batched(3), values);
  ASSERT_EQ(buffer.size(), 48u);
  EXPECT_EQ(at<uint64_t>(buffer, 0), values.c);
  EXPECT_EQ(at<int32_t>(buffer, 8), 100);
  EXPECT_EQ(at<float>(buffer, 12), 0.5f);
  EXPECT_EQ(at<int64_t>(buffer, 16), 50);
  EXPECT_EQ(at<int64_t>(buffer, 24), 7000);
  EXPECT_EQ(at<uint64_t>(buffer, 32), 0u);  // no scratch is wanted
  function.scratch_bytes = 128;
  EXPECT_EQ(at<uint64_t>(triton_parameters(function, batched(3), values), 32), 77u);
}

TEST(TritonRoles, HaveTheNamesOfTheKernelSource) {
  for (size_t i = 0; i < kTritonRoles; ++i) {
    const auto role = static_cast<TritonRole>(i);
    const auto parsed = parse_triton_role(to_string(role));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, role);
  }
  EXPECT_EQ(parse_triton_role("d").status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::cuda
