// SPDX-License-Identifier: Apache-2.0
// Kernels that are broken on purpose: a pass on the virtual GPU means something only if these do
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/jit_cuda/gemm_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

const NvrtcGemmConfig kTensorCoreConfig = {32, 32, 16, 16, 16, 3, 1};
const NvrtcGemmConfig kPlainConfig = {32, 32, 8, 4, 4, 1, 1};

// Large enough for every stage to be used again; rows on 16 bytes, remainders in all directions.
Problem tensor_core_problem() {
  Problem problem = Problem::mm(DType::kF16, 44, 43, 90);
  problem.lda = 96;
  problem.ldb = 48;
  return problem;
}
Problem plain_problem() {
  return Problem::mm(DType::kF32, 44, 43, 50);
}

std::string ptx_of(const Problem& problem, const NvrtcGemmConfig& config) {
  auto ptx = gemm_ptx(problem, config);
  EXPECT_TRUE(ptx.ok()) << ptx.status().to_string();
  return ptx.ok() ? *ptx : "";
}

const std::string& tensor_core_ptx() {
  static const std::string ptx = ptx_of(tensor_core_problem(), kTensorCoreConfig);
  return ptx;
}
const std::string& plain_ptx() {
  static const std::string ptx = ptx_of(plain_problem(), kPlainConfig);
  return ptx;
}

// In both scheduling modes, and at random with several seeds.
bool is_caught(const std::string& ptx, const Problem& problem, const NvrtcGemmConfig& config,
               GemmTrial trial = {}) {
  for (trial.seed = 0; trial.seed < 4; ++trial.seed) {
    if (try_gemm(ptx, problem, config, trial)) return true;
  }
  return false;
}

TEST(UnbrokenKernels, PassInBothModes) {
  EXPECT_FALSE(is_caught(tensor_core_ptx(), tensor_core_problem(), kTensorCoreConfig));
  EXPECT_FALSE(is_caught(plain_ptx(), plain_problem(), kPlainConfig));
}

// What is replaced in the PTX, all at once. Each must be there, or the mutation tests nothing.
struct Mutation {
  const char* name;
  bool is_tensor_core;
  const char* pattern;
  const char* replacement;
};

class BrokenKernel : public ::testing::TestWithParam<Mutation> {};

TEST_P(BrokenKernel, IsCaught) {
  const Mutation& mutation = GetParam();
  const std::string& ptx = mutation.is_tensor_core ? tensor_core_ptx() : plain_ptx();
  const std::string broken =
      std::regex_replace(ptx, std::regex(mutation.pattern), mutation.replacement);
  ASSERT_NE(broken, ptx) << "nothing matches " << mutation.pattern;
  EXPECT_TRUE(mutation.is_tensor_core ? is_caught(broken, tensor_core_problem(), kTensorCoreConfig)
                                      : is_caught(broken, plain_problem(), kPlainConfig));
}

INSTANTIATE_TEST_SUITE_P(
    Mutations, BrokenKernel,
    ::testing::Values(
        Mutation{"DroppedWait", true, "cp\\.async\\.wait_group[^;]*;", ""},
        Mutation{"WaitForOneGroupLess", true, "cp\\.async\\.wait_group 1;",
                 "cp.async.wait_group 2;"},
        Mutation{"DroppedBarrier", true, "(bar|barrier)\\.sync[^;]*;", ""},
        Mutation{"LostTranspose", true, "x4\\.trans\\.shared", "x4.shared"},
        Mutation{"WrongElementType", true, "f32\\.f16\\.f16\\.f32", "f32.bf16.bf16.f32"},
        Mutation{"UnmaskedCopy", true, "(cp\\.async\\.cg[^;]*, 16), %r[0-9]+;", "$1;"},
        Mutation{"MissingMask", true, "or\\.pred", "and.pred"},
        Mutation{"DroppedBarrierOfPlain", false, "(bar|barrier)\\.sync[^;]*;", ""},
        Mutation{"WrongStrideInShared", false, "(ld\\.shared\\.f32[^;]*)\\+32\\]", "$1+36]"},
        Mutation{"MissingMaskOfPlain", false, "or\\.pred", "and.pred"}),
    [](const auto& one) { return one.param.name; });

TEST(BrokenLaunch, WithTooLittleSharedMemoryIsCaught) {
  EXPECT_TRUE(is_caught(tensor_core_ptx(), tensor_core_problem(), kTensorCoreConfig,
                        {.shared_bytes_less = 512}));
}

TEST(BrokenLaunch, WithAWrongStrideIsCaught) {
  EXPECT_TRUE(
      is_caught(tensor_core_ptx(), tensor_core_problem(), kTensorCoreConfig, {.ldb_more = 8}));
  EXPECT_TRUE(is_caught(plain_ptx(), plain_problem(), kPlainConfig, {.ldb_more = 1}));
}

TEST(BrokenLaunch, OfAnAlignedKernelWithOddRowsFaultsAsMisaligned) {
  const auto wrong =
      try_gemm(tensor_core_ptx(), tensor_core_problem(), kTensorCoreConfig, {.ldb_more = 1});
  ASSERT_TRUE(wrong);
  EXPECT_THAT(*wrong, ::testing::HasSubstr("not aligned to 16"));
}

}  // namespace
}  // namespace triode::cuda
