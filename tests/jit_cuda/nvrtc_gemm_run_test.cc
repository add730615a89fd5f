// SPDX-License-Identifier: Apache-2.0
// Our CUDA C++ matmuls, compiled by NVRTC and executed on the virtual GPU, against the reference.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tests/jit/test_length.h"
#include "tests/jit_cuda/gemm_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

struct Types {
  DType operands;
  DType c;
};

Problem make_problem(Types types, int transposes, int64_t m, int64_t n, int64_t k) {
  Problem problem =
      Problem::mm(types.operands, m, n, k, (transposes & 1) != 0, (transposes & 2) != 0);
  problem.c_type = types.c;
  return problem;
}

// Rows that begin on 16 bytes, with a gap after each.
void align_rows(Problem& problem) {
  problem.lda = (problem.min_lda() + 7) / 8 * 8;
  problem.ldb = (problem.min_ldb() + 7) / 8 * 8;
  problem.ldc = problem.min_ldc() + 3;
}

// Rows that do not, also with gaps.
void misalign_rows(Problem& problem) {
  problem.lda = problem.min_lda() | 1;
  problem.ldb = problem.min_ldb() | 1;
  problem.ldc = problem.min_ldc() + 1;
}

NvrtcGemmConfig small_config(DType operands) {
  if (operands == DType::kF16 || operands == DType::kBF16) return {32, 32, 16, 16, 16, 3, 8};
  return {32, 32, 8, 4, 4, 1, 8};
}

using Case = std::tuple<Types, int, bool>;  // types, transposes, rows on 16 bytes

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const auto& [types, transposes, is_aligned] = info.param;
  const std::array names = {"nn", "tn", "nt", "tt"};
  return std::string(to_string(types.operands)) + "_" + std::string(to_string(types.c)) + "_" +
         names[static_cast<size_t>(transposes)] + (is_aligned ? "_aligned" : "_odd");
}

class NvrtcGemmRun : public ::testing::TestWithParam<Case> {};

// A whole block, one short and one over in each direction, the least, and one with k in between.
constexpr std::array<std::array<int64_t, 3>, 8> kSizes = {{
    {32, 32, 32},
    {31, 32, 17},
    {33, 31, 16},
    {32, 33, 15},
    {1, 1, 1},
    {5, 70, 3},
    {70, 7, 40},
    {2, 40, 64},
}};

TEST_P(NvrtcGemmRun, MatchesTheReferenceForEveryRemainder) {
  const auto& [types, transposes, is_aligned] = GetParam();
  const NvrtcGemmConfig config = small_config(types.operands);
  Problem shape = make_problem(types, transposes, 32, 32, 32);
  is_aligned ? align_rows(shape) : misalign_rows(shape);
  const auto ptx = gemm_ptx(shape, config);
  ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
  for (const auto& [m, n, k] : kSizes) {
    Problem problem = make_problem(types, transposes, m, n, k);
    is_aligned ? align_rows(problem) : misalign_rows(problem);
    for (const uint64_t seed : {0, 7}) {
      const auto wrong = try_gemm(*ptx, problem, config, {.alpha = 1, .beta = 0, .seed = seed});
      EXPECT_FALSE(wrong) << to_string(problem) << ", seed " << seed << ": " << *wrong;
    }
  }
}

// Vector copies exist for the 16-bit types alone, so the others need no aligned twin.
INSTANTIATE_TEST_SUITE_P(Plain, NvrtcGemmRun,
                         ::testing::Combine(::testing::Values(Types{DType::kF32, DType::kF32},
                                                              Types{DType::kF64, DType::kF64}),
                                            ::testing::Range(0, 4), ::testing::Values(false)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(TensorCores, NvrtcGemmRun,
                         ::testing::Combine(::testing::Values(Types{DType::kF16, DType::kF16},
                                                              Types{DType::kBF16, DType::kBF16},
                                                              Types{DType::kF16, DType::kF32}),
                                            ::testing::Range(0, 4), ::testing::Bool()),
                         case_name);

class NvrtcGemmTypes : public ::testing::TestWithParam<Types> {};

TEST_P(NvrtcGemmTypes, ScaleByAlphaAndBeta) {
  const Problem problem = make_problem(GetParam(), 0, 33, 30, 20);
  const NvrtcGemmConfig config = small_config(GetParam().operands);
  const auto ptx = gemm_ptx(problem, config);
  ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
  for (const auto& [alpha, beta] : {std::pair{-0.5, 2.0}, {1.0, 1.0}, {0.0, 0.5}, {0.0, 0.0}}) {
    const auto wrong = try_gemm(*ptx, problem, config, {.alpha = alpha, .beta = beta});
    EXPECT_FALSE(wrong) << alpha << ' ' << beta << ": " << *wrong;
  }
}

TEST_P(NvrtcGemmTypes, MultiplyBatches) {
  Problem problem = make_problem(GetParam(), 2, 17, 34, 9);
  problem.op = Op::kBmm;
  problem.batch = 3;
  problem.a_batch_stride = 0;  // the same a for all
  problem.b_batch_stride = problem.ldb * problem.n + 5;
  problem.c_batch_stride = problem.ldc * problem.m + 2;
  const NvrtcGemmConfig config = small_config(GetParam().operands);
  const auto ptx = gemm_ptx(problem, config);
  ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
  const auto wrong = try_gemm(*ptx, problem, config, {});
  EXPECT_FALSE(wrong) << *wrong;
}

INSTANTIATE_TEST_SUITE_P(All, NvrtcGemmTypes,
                         ::testing::Values(Types{DType::kF32, DType::kF32},
                                           Types{DType::kF64, DType::kF64},
                                           Types{DType::kF16, DType::kF16},
                                           Types{DType::kBF16, DType::kBF16}));

// What the virtual GPU cannot run is at least assembled.
TEST(NvrtcGemm, IsAssembledForLaterDevices) {
  const auto compiler = NvrtcCompiler::load();
  ASSERT_TRUE(compiler.ok()) << compiler.status().to_string();
  const Problem problem = Problem::mm(DType::kF16, 64, 64, 64);
  const CudaSource source = nvrtc_gemm_source(problem, small_config(DType::kF16));
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    const auto cubin = compiler->compile(source, arch, CodeKind::kCubin);
    ASSERT_TRUE(cubin.ok()) << cubin.status().to_string();
    EXPECT_EQ(cubin->substr(0, 4), "\177ELF");
  }
}

// Random configs of the whole space, each with random sizes around its blocks.
TEST(NvrtcGemmSpace, HoldsConfigsThatCompute) {
  Random random(20);
  constexpr std::array kTypes = {DType::kF32, DType::kF16, DType::kF64, DType::kBF16};
  for (int i = 0; i < scaled_count(5); ++i) {
    const DType type = kTypes[static_cast<size_t>(i) % kTypes.size()];
    const auto size = [&](uint64_t most) { return static_cast<int64_t>(1 + random.below(most)); };
    const Problem problem = make_problem({type, type}, static_cast<int>(random.below(4)), size(150),
                                         size(150), size(100));
    const auto space = nvrtc_gemm_space(problem, {});
    ASSERT_TRUE(space.ok()) << space.status().to_string();
    const auto drawn = space->sample(random);
    ASSERT_TRUE(drawn);
    const NvrtcGemmConfig config = nvrtc_gemm_config(*drawn);
    const auto ptx = gemm_ptx(problem, config);
    ASSERT_TRUE(ptx.ok()) << ptx.status().to_string();
    const auto wrong = try_gemm(*ptx, problem, config, {.seed = 1 + random.below(1000)});
    EXPECT_FALSE(wrong) << to_string(problem) << ", " << space->to_string(*drawn) << ": " << *wrong;
  }
}

}  // namespace
}  // namespace triode::cuda
