// SPDX-License-Identifier: Apache-2.0
// Our Triton matmul in all its shapes, compiled by the real Triton for sm_80 and executed on the
// virtual GPU against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "tests/core/status_matchers.h"
#include "tests/jit/test_length.h"
#include "tests/jit_cuda/triton_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

enum class Shape { kMm, kBmm, kAddmm, kSplit, kPersistent };
constexpr Shape kShapes[] = {Shape::kMm, Shape::kBmm, Shape::kAddmm, Shape::kSplit,
                             Shape::kPersistent};
constexpr DType kTypes[] = {DType::kF16, DType::kBF16, DType::kTF32, DType::kF32};

// With remainders of the blocks in m and n. Even: all sizes are divisible by 16, and k by its
// block; else nothing is.
Problem problem_of(Shape shape, DType type, int transposes, bool is_even, size_t index) {
  Problem problem = is_even ? Problem::mm(type, 48, 80, 96, transposes % 2 == 1, transposes >= 2)
                            : Problem::mm(type, 35, 69, 75, transposes % 2 == 1, transposes >= 2);
  if (shape == Shape::kBmm || (shape == Shape::kPersistent && index % 2 == 0)) {
    problem.op = Op::kBmm;
    problem.batch = 3;
    problem.make_tight();
    problem.b_batch_stride = index % 3 == 0 ? 0 : problem.b_batch_stride;
  } else {
    constexpr int kEpilogues = static_cast<int>(Epilogue::kBiasSilu);
    problem.op = shape == Shape::kAddmm ? Op::kAddmm : Op::kMm;
    if (shape == Shape::kSplit && index % 2 == 0) problem.op = Op::kAddmm;
    if (problem.op == Op::kAddmm) {
      problem.epilogue = static_cast<Epilogue>(1 + static_cast<int>(index) % kEpilogues);
    }
  }
  if (index % 5 == 1) problem.alpha = ScalarClass::kOther;
  if (index % 4 == 1) problem.beta = ScalarClass::kOther;
  if (index % 3 == 1 && type != DType::kTF32) problem.c_type = DType::kF32;
  return problem;
}

std::string config_of(Shape shape, DType type) {
  const bool is_plain =
      type == DType::kF32;  // multiplied without tensor cores, and slow to compile
  return std::string(is_plain ? "block_m=32 block_n=16 block_k=16 num_stages=2 num_warps=2"
                              : "block_m=32 block_n=32 block_k=32 num_stages=3 num_warps=2") +
         " group_m=1 split_k=" + (shape == Shape::kSplit ? "2" : "1") +
         " persistent=" + (shape == Shape::kPersistent ? "1" : "0") + " tma=0";
}

struct ShapedCase {
  Shape shape;
  bool is_even;
  TritonCase each;
};

// Every shape with every type and every transpose. Remainders alternate, so that every two of them
// meet; in a long run each comes both ways.
std::vector<ShapedCase> all_cases() {
  std::vector<ShapedCase> cases;
  for (const Shape shape : kShapes) {
    for (const DType type : kTypes) {
      for (int transposes = 0; transposes < 4; ++transposes) {
        const size_t index = cases.size();
        const auto column = static_cast<int>(type == DType::kBF16 || type == DType::kTF32);
        const bool is_even =
            (static_cast<int>(shape) + column + transposes / 2 + transposes) % 2 == 0;
        for (const bool way : {is_even, !is_even}) {
          if (way != is_even && scaled_count(1) == 1) continue;
          cases.push_back(
              {shape,
               way,
               {problem_of(shape, type, transposes, way, index), config_of(shape, type)}});
        }
      }
    }
  }
  return cases;
}

TEST(TritonKernels, MatchTheReferenceInBothModes) {
  const std::vector<ShapedCase> cases = all_cases();
  std::vector<TritonCase> plain;
  for (const ShapedCase& each : cases) plain.push_back(each.each);
  const std::vector<TriedCase> tried = try_cases(plain, {0, 5});
  for (size_t i = 0; i < cases.size(); ++i) {
    const Problem& problem = plain[i].problem;
    const Result<TritonKernel>& kernel = tried[i].kernel;
    SCOPED_TRACE(to_string(problem) + ", " + plain[i].config);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const TritonFunction& matmul = kernel->functions[0];
    EXPECT_EQ(matmul.cubin.substr(0, 4), "\177ELF");
    EXPECT_EQ(kernel->functions.size(), cases[i].shape == Shape::kSplit ? 2u : 1u);
    // What was promised of pointers and sizes is what lets Triton copy whole vectors.
    EXPECT_EQ(matmul.ptx.find("cp.async.cg") != std::string::npos, cases[i].is_even);
    EXPECT_EQ(matmul.ptx.find(".tf32.tf32.") != std::string::npos, problem.a_type == DType::kTF32);
    EXPECT_EQ(matmul.ptx.find("atom"), std::string::npos);
    ASSERT_EQ(tried[i].wrong.size(), 2u);
    for (const auto& wrong : tried[i].wrong) EXPECT_FALSE(wrong) << *wrong;
  }
}

TEST(TritonKernels, DoNotLetNansPastAFactorOfZero) {
  Problem problem = Problem::mm(DType::kF16, 35, 69, 75);
  problem.alpha = problem.beta = ScalarClass::kOther;
  const auto kernels = compile_cases({{problem, config_of(Shape::kMm, DType::kF16)},
                                      {problem, config_of(Shape::kSplit, DType::kF16)}});
  for (const auto& kernel : kernels) {
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    for (const TritonTrial trial :
         {TritonTrial{.zero_alpha = true}, TritonTrial{.zero_beta = true}}) {
      const auto wrong = try_triton(*kernel, problem, trial);
      EXPECT_FALSE(wrong) << *wrong;
    }
  }
}

TEST(TritonSplit, GivesTheSameBitsWhateverTheOrderOfBlocksAndWarps) {
  const TritonCase each = {Problem::mm(DType::kF16, 40, 48, 200),
                           "block_m=32 block_n=32 block_k=16 num_stages=2 num_warps=2 group_m=1 "
                           "split_k=2 persistent=0 tma=0"};
  const auto kernel = compile_case(each);
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  const auto first = run_triton(*kernel, each.problem, {.seed = 0});
  const auto second = run_triton(*kernel, each.problem, {.seed = 9});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(TritonSpace, HoldsConfigsThatCompute) {
  Random random(9);
  for (int i = 0; i < scaled_count(1); ++i) {
    const auto size = [&](uint64_t most) { return static_cast<int64_t>(1 + random.below(most)); };
    const DType type = random.below(2) == 0 ? DType::kF16 : DType::kBF16;
    const Problem problem = Problem::mm(type, size(150), size(150), size(100), random.below(2) == 0,
                                        random.below(2) == 0);
    const auto space = triton_space(problem, small_gpu());
    ASSERT_TRUE(space.ok()) << space.status().to_string();
    const auto config = space->sample(random);
    ASSERT_TRUE(config);
    const auto kernel = shared_triton_pool().compile(problem, *config, "sm_80");
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const auto wrong = try_triton(*kernel, problem, {.seed = 1 + random.below(1000)});
    EXPECT_FALSE(wrong) << to_string(problem) << ", " << space->to_string(*config) << ": "
                        << *wrong;
  }
}

TEST(TritonPool, CompilesTheSameBytesAgain) {
  const TritonCase each = {Problem::mm(DType::kF16, 64, 64, 64),
                           config_of(Shape::kMm, DType::kF16)};
  const auto kernels = compile_cases({each, each});  // by two workers
  ASSERT_TRUE(kernels[0].ok() && kernels[1].ok());
  EXPECT_EQ(triton_digest(*kernels[0]), triton_digest(*kernels[1]));
}

TEST(TritonPool, KnowsTheToolchainOfItsKernels) {
  const auto toolchain = shared_triton_pool().toolchain("sm_80");
  ASSERT_TRUE(toolchain.ok()) << toolchain.status().to_string();
  EXPECT_THAT(*toolchain, ::testing::MatchesRegex("triton .* ptxas .* source [0-9a-f]{16}"));
  const auto kernel =
      compile_case({Problem::mm(DType::kF16, 64, 64, 64), config_of(Shape::kMm, DType::kF16)});
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ(kernel->toolchain, *toolchain);
}

TEST(TritonRefusal, ComesWithTritonsWords) {
  Config config(9);
  for (size_t i = 0; i < config.size(); ++i) config[i] = 3;  // not a power of two
  EXPECT_THAT(shared_triton_pool().compile(Problem::mm(DType::kF16, 64, 64, 64), config, "sm_80"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("refused")));
}

}  // namespace
}  // namespace triode::cuda
