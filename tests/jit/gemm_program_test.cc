// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/gemm_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "jit/x86/register_tile.h"
#include "tests/jit/program_check.h"

namespace triode::x86 {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Every n-th legal config of every width this machine runs: enough to meet each family and each
// packing.
constexpr size_t kConfigsPerWidth = 60;

// Calls `check` for configs spread evenly over the space of each runnable width.
template <typename Check>
void for_spread_configs(const ProgramCheck& program, const Check& check) {
  for (const IsaId isa : runnable_isas()) {
    const std::vector<Config> configs = program.legal_configs(isa);
    ASSERT_FALSE(configs.empty());
    const size_t step = configs.size() / kConfigsPerWidth + 1;
    for (size_t i = 0; i < configs.size(); i += step) check(configs[i]);
  }
}

void expect_right(ProgramCheck& program) {
  for_spread_configs(program,
                     [&](const Config& config) { EXPECT_EQ(program.failure_of(config), ""); });
}

std::unique_ptr<GemmProgram> must_build(const Problem& problem, const GemmConfig& config) {
  KernelCache kernels;
  auto program = GemmProgram::build(problem, config, kernels);
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  return std::move(program).take();
}

GemmConfig small_tile() {
  GemmConfig config;
  config.mr = 4;
  config.nr = 16;
  return config;
}

// Else rows of a tile can lie a page apart, where they push each other out of L1.
TEST(GemmProgram, PacksRowsOfAnOddNumberOfCacheLines) {
  constexpr int64_t kRows = 64;
  constexpr size_t kLine = 64;
  for (const int64_t k : {15, 16, 17, 992, 1000, 1024}) {
    GemmConfig config = small_tile();
    config.pack_a = PackA::kCopy;
    const auto program = must_build(Problem::mm(DType::kF32, kRows, 32, k), config);
    const size_t row_bytes = program->workspace_bytes() / kRows;
    EXPECT_GE(row_bytes, static_cast<size_t>(k) * sizeof(float));
    EXPECT_EQ(row_bytes % (2 * kLine), kLine) << k;
  }
}

TEST(GemmProgram, OverwritesNanAndInfinityWhenBetaIsZero) {
  for (const double left_over : {kNan, kInf, -kInf}) {
    ProgramCheck program(Problem::mm(DType::kF32, 17, 33, 9), {});
    program.operands(0).c().fill_with(left_over);
    program.operands(1).c().fill_with(left_over);
    program.judge_anew();
    expect_right(program);
  }
}

// Sizes at which every way to fetch ahead gets code of its own: c a row per turn or all at once,
// the next panel by every row or by every fourth, by one line or by several in a step.
TEST(GemmProgram, FetchingAheadChangesNoResult) {
  for (const IsaId isa : runnable_isas()) {
    for (const int64_t m : {7, 13, 29, 131}) {
      for (const int64_t k : {5, 37, 90}) {
        ProgramCheck program(Problem::mm(DType::kF32, m, 3 * 64 + 5, k), {.beta = 0.5});
        const Space space = program.space(isa);
        for (const int32_t unroll : {1, 2, 4}) {
          GemmConfig config;
          config.isa = isa;
          config.mr = tallest_outer_tile(describe(isa), 4, false);
          config.nr = 4 * describe(isa).lanes(size_bytes(DType::kF32));
          config.ku = unroll;
          config.pack_b = PackB::kPanel;
          config.prefetch_a = PrefetchA::kL2;
          config.prefetch_panel = config.prefetch_c = 1;
          ASSERT_EQ(space.why_illegal(to_config(config)), std::nullopt);
          EXPECT_EQ(program.failure_of(config), "");
        }
      }
    }
  }
}

// A packed a serves all blocks of columns, whatever the blocks of rows and of k, and with every
// remainder of the squares in which a transposed one is turned.
TEST(GemmProgram, PacksAOnceForAllBlocksOfColumns) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const int64_t extra : {0, 1, 3, 7, 8, 13}) {
        const int64_t k = 129 + extra;
        ProgramCheck program(
            Problem::mm(DType::kF32, 96 + extra, 97 + extra, k, a_transposed, b_transposed),
            {.beta = 0.5});
        GemmConfig config = small_tile();
        config.nc = 48;
        config.pack_a = PackA::kCopy;
        config.pack_b = PackB::kWhole;
        for (const int32_t mc : {0, 48}) {
          for (const int32_t kc : {0, 128}) {
            config.mc = mc;
            config.kc = kc;
            ASSERT_EQ(program.space(config.isa).why_illegal(to_config(config)), std::nullopt);
            EXPECT_EQ(program.failure_of(config), "");
          }
        }
      }
    }
  }
}

TEST(GemmProgram, OverwritesNanWhenBetaHappensToBeZero) {
  ProgramCheck program(Problem::mm(DType::kF32, 17, 33, 9), {.beta = 0, .any_scalars = true});
  program.operands(0).c().fill_with(kNan);
  program.judge_anew();
  expect_right(program);
}

TEST(GemmProgram, KeepsNanOfCWhenBetaIsNotZero) {
  ProgramCheck program(Problem::mm(DType::kF64, 17, 33, 9), {.beta = 1});
  program.operands(0).c().set(0, 16, 32, kNan);
  program.judge_anew();
  expect_right(program);
}

TEST(GemmProgram, PropagatesNanOfA) {
  ProgramCheck program(Problem::mm(DType::kF32, 17, 33, 9), {});
  program.operands(0).a().set(0, 16, 8, kNan);
  program.operands(1).a().set(0, 0, 0, kNan);
  program.judge_anew();
  expect_right(program);
}

TEST(GemmProgram, PropagatesNanOfB) {
  ProgramCheck program(Problem::mm(DType::kF64, 17, 33, 9, false, true), {});
  program.operands(0).b().set(0, 32, 8, kNan);
  program.operands(1).b().set(0, 0, 0, kNan);
  program.judge_anew();
  expect_right(program);
}

TEST(GemmProgram, InfinityAtTheEdgeMeetsNoPadding) {
  // Zeros that pad a block must not be multiplied into a result: 0 * inf would be NaN.
  ProgramCheck program(Problem::mm(DType::kF32, 17, 33, 9), {});
  program.operands(0).a().set(0, 16, 8, kInf);
  program.operands(1).b().set(0, 8, 32, -kInf);
  program.judge_anew();
  expect_right(program);
}

TEST(GemmProgram, RunsWithAnyScalarsWhenBuiltForAny) {
  for (const double alpha : {0.0, 1.0, -1.0, 0.37}) {
    for (const double beta : {0.0, 1.0, -1.0, 2.5}) {
      ProgramCheck program(Problem::mm(DType::kF64, 9, 17, 12),
                           {.alpha = alpha, .beta = beta, .any_scalars = true});
      expect_right(program);
    }
  }
}

TEST(GemmProgram, ZeroAlphaOnlyScales) {
  for (const double beta : {0.0, 1.0, -1.0, 2.5}) {
    ProgramCheck program(Problem::mm(DType::kF32, 9, 17, 12), {.alpha = 0, .beta = beta});
    program.operands(0).a().fill_with(kNan);
    program.operands(0).b().fill_with(kInf);
    program.judge_anew();
    EXPECT_EQ(program.failure_of(small_tile()), "");
  }
}

TEST(GemmProgram, DoesNotReadAAndBWhenAlphaHappensToBeZero) {
  ProgramCheck program(Problem::mm(DType::kF32, 9, 17, 12),
                       {.alpha = 0, .beta = 2.5, .any_scalars = true});
  program.operands(0).a().fill_with(kNan);
  program.judge_anew();
  EXPECT_EQ(program.failure_of(small_tile()), "");
}

TEST(GemmProgram, AnEmptySumScalesC) {
  for (const double beta : {0.0, 1.0, -1.0, 2.5}) {
    ProgramCheck program(Problem::mm(DType::kF64, 9, 17, 0), {.beta = beta});
    EXPECT_EQ(program.failure_of(small_tile()), "");
  }
}

TEST(GemmProgram, AnEmptyResultTouchesNothing) {
  ProgramCheck no_rows(Problem::mm(DType::kF32, 0, 17, 12), {.beta = 1});
  ProgramCheck no_columns(Problem::mm(DType::kF32, 9, 0, 12), {.beta = 1});
  ProgramCheck nothing(Problem::mm(DType::kF32, 0, 0, 0), {});
  EXPECT_EQ(no_rows.failure_of(small_tile()), "");
  EXPECT_EQ(no_columns.failure_of(small_tile()), "");
  EXPECT_EQ(nothing.failure_of(small_tile()), "");
}

TEST(GemmProgram, AnEmptyBatchTouchesNothing) {
  Problem problem = Problem::mm(DType::kF32, 9, 17, 12);
  problem.op = Op::kBmm;
  problem.batch = 0;
  ProgramCheck program(problem, {});
  EXPECT_EQ(program.failure_of(small_tile()), "");
}

TEST(GemmProgram, RunsEachMatrixOfABatch) {
  Problem problem = Problem::mm(DType::kF32, 9, 20, 12, true, false);
  problem.op = Op::kBmm;
  problem.batch = 3;
  problem.a_batch_stride = 9 * 12 + 1;
  problem.b_batch_stride = 0;
  problem.c_batch_stride = 9 * 20 + 7;
  ProgramCheck program(problem, {.beta = 1});
  expect_right(program);
}

TEST(GemmProgram, RunsABatchWhoseRowsAreInterleaved) {
  // Heads of attention: each matrix is a stripe of columns of one wide matrix.
  Problem problem = Problem::mm(DType::kF32, 9, 20, 12, false, true);
  problem.op = Op::kBmm;
  problem.batch = 3;
  problem.lda = problem.ldb = 3 * 12;
  problem.ldc = 3 * 20;
  problem.a_batch_stride = problem.b_batch_stride = 12;
  problem.c_batch_stride = 20;
  ProgramCheck program(problem, {});
  expect_right(program);
}

TEST(GemmProgram, RunsAColumnMajorCall) {
  // c (m x n by columns) = a b, read as its row-major twin.
  Problem column_major = Problem::mm(DType::kF32, 9, 20, 12);
  column_major.lda = 9;
  column_major.ldb = 12;
  column_major.ldc = 9;
  ProgramCheck program(from_column_major(column_major), {});
  EXPECT_EQ(program.problem().m, 20);
  expect_right(program);
}

TEST(GemmProgram, StreamsPastTheCaches) {
  // Streaming stores are legal only for a large, aligned c.
  int64_t streaming = 0;
  for (const int64_t n : {32, 30, 17}) {
    Problem problem = Problem::mm(DType::kF32, 2051, n, 3);
    problem.ldc = 32;
    ProgramCheck program(problem, {.guards = {Guard::kBeforeStart}});
    for_spread_configs(program, [&](const Config& config) {
      GemmConfig typed = to_gemm_config(config);
      typed.stores = StoreKind::kStreaming;
      if (!program.space(typed.isa).is_legal(to_config(typed))) return;
      ++streaming;
      EXPECT_EQ(program.failure_of(typed), "");
    });
  }
  EXPECT_GT(streaming, runnable_isas().empty() ? -1 : 10);
}

TEST(GemmProgram, GivesTheSameBitsEveryTime) {
  if (runnable_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
  GuardedOperands matrices(Problem::mm(DType::kF32, 17, 33, 65), Guard::kBeforeStart, 1);
  const auto program = must_build(Problem::mm(DType::kF32, 17, 33, 65), small_tile());
  std::vector<std::byte> workspace(program->workspace_bytes());
  ASSERT_TRUE(workspace.empty()) << "this config packs nothing";
  program->run(matrices.operands(1, 0), workspace.data());
  const std::vector<std::byte> first = matrices.c().snapshot();
  program->run(matrices.operands(1, 0), workspace.data());
  EXPECT_EQ(matrices.c().snapshot(), first);
}

TEST(GemmProgram, DigestIsThatOfTheCode) {
  const Problem problem = Problem::mm(DType::kF32, 17, 33, 65);
  GemmConfig other = small_tile();
  other.ku = 8;
  EXPECT_EQ(must_build(problem, small_tile())->digest(),
            must_build(problem, small_tile())->digest());
  EXPECT_NE(must_build(problem, small_tile())->digest(), must_build(problem, other)->digest());
}

TEST(GemmProgram, IgnoresThreadsAndSplit) {
  const Problem problem = Problem::mm(DType::kF32, 17, 33, 65);
  GemmConfig threaded = small_tile();
  threaded.threads = 4;
  threaded.split = ThreadSplit::kDepth;
  EXPECT_EQ(must_build(problem, small_tile())->digest(), must_build(problem, threaded)->digest());
}

TEST(GemmProgram, CountsItsCode) {
  const Problem problem = Problem::mm(DType::kF32, 17, 33, 65);
  KernelCache kernels;
  const auto program = GemmProgram::build(problem, small_tile(), kernels);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(kernels.counters().compiled, 1);
  EXPECT_GT((*program)->code_bytes(), 100u);
}

TEST(GemmProgram, SharesKernelsWithProgramsOfTheSameCode) {
  const Problem problem = Problem::mm(DType::kF32, 17, 33, 65);
  KernelCache kernels;
  const auto first = GemmProgram::build(problem, small_tile(), kernels);
  const auto second = GemmProgram::build(problem, small_tile(), kernels);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(kernels.counters().compiled, 1);
  EXPECT_EQ(kernels.counters().shared, 1);
}

TEST(GemmProgram, RefusesAProblemThatMakesNoSense) {
  Problem problem = Problem::mm(DType::kF32, 17, 33, 65);
  problem.ldc = 32;
  KernelCache kernels;
  const auto program = GemmProgram::build(problem, small_tile(), kernels);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), StatusCode::kInvalidArgument);
}

double representative(ScalarClass scalar, double other) {
  switch (scalar) {
    case ScalarClass::kZero:
      return 0;
    case ScalarClass::kOne:
      return 1;
    case ScalarClass::kMinusOne:
      return -1;
    case ScalarClass::kOther:
      return other;
  }
  return other;
}

// The case another test complained of: set the two variables to what its message says.
TEST(GemmProgram, RunsTheGivenCase) {
  if (runnable_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
  const char* problem_text = std::getenv("TRIODE_TEST_PROBLEM");
  const char* config_text = std::getenv("TRIODE_TEST_CONFIG");
  const auto problem = parse_problem(problem_text != nullptr ? problem_text : "mm f32 17x33x65 nn");
  ASSERT_TRUE(problem.ok()) << problem.status().to_string();
  ProgramCheck program(*problem, {.alpha = representative(problem->alpha, 0.37),
                                  .beta = representative(problem->beta, 2.5)});
  const Result<Space> space = gemm_space(program.problem(), runnable_isas(), 1);
  ASSERT_TRUE(space.ok()) << space.status().to_string();
  const std::string text = config_text != nullptr
                               ? config_text
                               : space->to_string(promising_configs(*space, *problem).front());
  const Result<Config> config = space->parse(text);
  ASSERT_TRUE(config.ok()) << config.status().to_string();
  EXPECT_EQ(program.failure_of(*config), "");
}

}  // namespace
}  // namespace triode::x86
