// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/threaded_gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/scratch.h"
#include "tests/core/status_matchers.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_operands.h"
#include "tests/runtime/threaded_configs.h"

namespace triode {
namespace {

using ::testing::Bool;
using ::testing::Combine;
using ::testing::HasSubstr;
using ::testing::Values;
using x86::GemmConfig;
using x86::ThreadSplit;

// Each part on a thread of its own, started for it.
void run_on_new_threads(int parts, ParallelBody body, void* context) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(parts));
  for (int part = 0; part < parts; ++part) threads.emplace_back(body, context, part);
  for (std::thread& thread : threads) thread.join();
}

constexpr size_t kConfigsEach = 4;  // the best guesses for a problem, which differ in kind

struct Scalars {
  double alpha;
  double beta;
};

void PrintTo(const Scalars& scalars, std::ostream* out) {
  *out << "alpha " << scalars.alpha << " beta " << scalars.beta;
}

class ThreadedGemmTest : public ::testing::Test {
 protected:
  // What is wrong with the result of a few configs of the problem, shared out so; empty if nothing
  // is.
  std::string run(Problem problem, ThreadSplit split, int threads, Scalars scalars,
                  const ParallelFor& loop = run_in_order) {
    problem.alpha = classify_scalar(scalars.alpha);
    problem.beta = classify_scalar(scalars.beta);
    problem.alignment_bytes = static_cast<int32_t>(size_bytes(problem.c_type));
    const auto configs = threaded_configs(problem, split, threads, kConfigsEach);
    if (configs.empty()) return "no config for " + to_string(problem);
    for (const GemmConfig& config : configs) {
      const std::string wrong = run(problem, config, scalars, loop);
      if (!wrong.empty()) return to_string(problem) + ": " + wrong;
    }
    return "";
  }

  std::string run(const Problem& problem, const GemmConfig& config, Scalars scalars,
                  const ParallelFor& loop) {
    GuardedOperands matrices(problem, Guard::kAfterEnd, /*seed=*/1);
    auto gemm = ThreadedGemm::build(problem, config, kernels_, loop);
    if (!gemm.ok()) return gemm.status().to_string();
    const Operands operands = matrices.operands(scalars.alpha, scalars.beta);
    if (scalars.beta == 0) matrices.c().fill_with(std::numeric_limits<double>::quiet_NaN());
    const ErrorBound bound(problem, operands);
    (*gemm)->run(operands, thread_scratch((*gemm)->workspace_bytes()));
    if (const auto damage = matrices.c().damage()) return *damage;
    return bound.find_mismatch(operands.c).value_or("");
  }

  std::unique_ptr<ThreadedGemm> build(const Problem& problem, ThreadSplit split, int threads) {
    const auto configs = threaded_configs(problem, split, threads, 1);
    return std::move(ThreadedGemm::build(problem, configs.at(0), kernels_, run_in_order)).take();
  }

  x86::KernelCache kernels_;
};

Problem padded_bmm(DType dtype, bool a_transposed, bool b_transposed, int64_t batch) {
  Problem problem = Problem::mm(dtype, 37, 70, 45, a_transposed, b_transposed);
  problem.lda += 3;
  problem.ldb += 1;
  problem.ldc += 5;
  if (batch == 1) return problem;
  problem.op = Op::kBmm;
  problem.batch = batch;
  problem.a_batch_stride = problem.lda * 70;
  problem.b_batch_stride = problem.ldb * 80;
  problem.c_batch_stride = problem.ldc * 37;
  return problem;
}

class EveryThreadedGemm
    : public ThreadedGemmTest,
      public ::testing::WithParamInterface<std::tuple<ThreadSplit, DType, bool, bool, Scalars>> {};

TEST_P(EveryThreadedGemm, MatchesTheReference) {
  const auto [split, dtype, a_transposed, b_transposed, scalars] = GetParam();
  for (const int threads : {2, 3}) {
    for (const int64_t batch : {1, 2, 5}) {
      const Problem problem = padded_bmm(dtype, a_transposed, b_transposed, batch);
      if (split == ThreadSplit::kDepth && batch > 1) continue;  // not in the space
      EXPECT_EQ(run(problem, split, threads, scalars), "") << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, EveryThreadedGemm,
                         Combine(Values(ThreadSplit::kRows, ThreadSplit::kColumns,
                                        ThreadSplit::kDepth),
                                 Values(DType::kF32, DType::kF64), Bool(), Bool(),
                                 Values(Scalars{1, 0}, Scalars{1, 1}, Scalars{-1, -1},
                                        Scalars{0.5, 2}, Scalars{0, 0}, Scalars{0, 3})));

class ThreadedSizes : public ThreadedGemmTest, public ::testing::WithParamInterface<ThreadSplit> {};

TEST_P(ThreadedSizes, MatchTheReferenceAtEveryRemainder) {
  for (int64_t size = 17; size <= 64; ++size) {
    const Problem problem = Problem::mm(DType::kF32, size, size + 15, size);
    for (const int threads : {2, 4, 7}) {
      EXPECT_EQ(run(problem, GetParam(), threads, {1, 0}), "") << threads << " threads";
    }
  }
}

TEST_P(ThreadedSizes, MatchTheReferenceOnRealThreads) {
  const Problem problem = Problem::mm(DType::kF32, 150, 160, 130);
  EXPECT_EQ(run(problem, GetParam(), 4, {1, 0}, run_on_new_threads), "");
}

INSTANTIATE_TEST_SUITE_P(Splits, ThreadedSizes,
                         Values(ThreadSplit::kRows, ThreadSplit::kColumns, ThreadSplit::kDepth));

// Every way to treat the columns that fill no vector, at every number of them: cut by columns, a
// part may hold those columns alone, and cut by depth, too little of k to be worth dot products.
class ThreadedEdges
    : public ThreadedGemmTest,
      public ::testing::WithParamInterface<std::tuple<ThreadSplit, x86::IsaId, DType>> {
 protected:
  // What is wrong with the edges of this many columns; empty if nothing is.
  std::string run_columns(int64_t columns, bool b_transposed) {
    const auto [split, isa, dtype] = GetParam();
    const int32_t lanes = x86::describe(isa).lanes(size_bytes(dtype));
    Problem problem = Problem::mm(dtype, 20, columns, 4 * lanes + 1, false, b_transposed);
    problem.threads = 3;
    problem.alignment_bytes = static_cast<int32_t>(size_bytes(dtype));
    for (const Scalars scalars : {Scalars{1, 0}, Scalars{0.5, 2}}) {
      problem.alpha = classify_scalar(scalars.alpha);
      problem.beta = classify_scalar(scalars.beta);
      const Space space = x86::gemm_space(problem, std::array{isa}, 3).take();
      for (const GemmConfig& config : ways(split, isa, lanes)) {
        if (!space.is_legal(x86::to_config(config))) continue;
        dot_runs_ += config.edge == x86::EdgeStore::kDot ? 1 : 0;
        const std::string wrong = run(problem, config, scalars, run_in_order);
        if (!wrong.empty()) return space.to_string(x86::to_config(config)) + ": " + wrong;
      }
    }
    return "";
  }

  int64_t dot_runs_ = 0;

 private:
  static std::vector<GemmConfig> ways(ThreadSplit split, x86::IsaId isa, int32_t lanes) {
    using x86::EdgeStore;
    using x86::PackB;
    std::vector<GemmConfig> all;
    for (const EdgeStore edge : {EdgeStore::kMasked, EdgeStore::kSplit, EdgeStore::kDot}) {
      for (const PackB pack_b : {PackB::kNone, PackB::kWhole}) {
        for (const auto& [rows, vectors] : {std::pair{9, 1}, {20, 1}, {9, 2}}) {
          for (const int32_t threads : {2, 3}) {
            all.push_back({.isa = isa,
                           .mr = rows,
                           .nr = vectors * lanes,
                           .ku = 1,
                           .pack_b = pack_b,
                           .edge = edge,
                           .threads = threads,
                           .split = split});
          }
        }
      }
    }
    return all;
  }
};

TEST_P(ThreadedEdges, MatchTheReferenceAtEveryRemainder) {
  const auto [split, isa, dtype] = GetParam();
  const int32_t lanes = x86::describe(isa).lanes(size_bytes(dtype));
  for (int64_t columns = lanes + 1; columns < 4 * lanes; ++columns) {
    EXPECT_EQ(run_columns(columns, false), "") << columns << " columns";
    EXPECT_EQ(run_columns(columns, true), "") << columns << " columns, b transposed";
  }
  EXPECT_GT(dot_runs_, 10);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, ThreadedEdges,
    Combine(Values(ThreadSplit::kRows, ThreadSplit::kColumns, ThreadSplit::kDepth),
            ::testing::ValuesIn(x86::runnable_isas().begin(), x86::runnable_isas().end()),
            Values(DType::kF32, DType::kF64)));

TEST_F(ThreadedGemmTest, DepthSplitOfALargeResultIsAddedUpInShares) {
  const Problem problem = Problem::mm(DType::kF32, 161, 130, 96);
  for (const int threads : {2, 3, 6}) {
    EXPECT_EQ(run(problem, ThreadSplit::kDepth, threads, {2, 0.5}), "") << threads;
  }
}

TEST_F(ThreadedGemmTest, SharesOutVectorsHoweverTheyLie) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      const Problem column = Problem::mm(DType::kF32, 200, 1, 100, a_transposed, b_transposed);
      EXPECT_EQ(run(column, ThreadSplit::kColumns, 2, {1, 1}), "");
      EXPECT_EQ(run(column, ThreadSplit::kDepth, 2, {1, 1}), "");
      const Problem row = Problem::mm(DType::kF32, 1, 200, 100, a_transposed, b_transposed);
      EXPECT_EQ(run(row, ThreadSplit::kColumns, 3, {1, 1}), "");
    }
  }
}

TEST_F(ThreadedGemmTest, StreamsToTheCallersMemory) {
  const Problem problem = Problem::mm(DType::kF32, 256, 256, 32);
  for (const ThreadSplit split : {ThreadSplit::kRows, ThreadSplit::kColumns, ThreadSplit::kDepth}) {
    GemmConfig config = threaded_configs(problem, split, 2, 1).at(0);
    config.stores = x86::StoreKind::kStreaming;
    config.kc = 0;
    GuardedOperands matrices(problem, Guard::kBeforeStart, /*seed=*/1);
    ASSERT_EQ(matrices.alignment_bytes(), 64);
    EXPECT_EQ(run(problem, config, {1, 0}, run_on_new_threads), "");
  }
}

TEST_F(ThreadedGemmTest, CutsBatchesBetweenMatrices) {
  Problem problem = padded_bmm(DType::kF32, false, false, 5);
  problem.alignment_bytes = 4;
  const GemmConfig config = threaded_configs(problem, ThreadSplit::kRows, 5, 1).at(0);
  const auto gemm = ThreadedGemm::build(problem, config, kernels_, run_in_order);
  ASSERT_TRUE(gemm.ok()) << gemm.status().to_string();
  problem.batch = 1;
  const auto one_matrix = x86::GemmProgram::build(problem, config, kernels_);
  ASSERT_TRUE(one_matrix.ok()) << one_matrix.status().to_string();
  // All five parts are the same program, that of a whole matrix.
  EXPECT_EQ((*gemm)->parts(), 5);
  EXPECT_EQ((*gemm)->code_bytes(), (*one_matrix)->code_bytes());
}

TEST_F(ThreadedGemmTest, CutsRowsEvenlyWhateverTheTile) {
  Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  GemmConfig config;
  config.mr = 6;
  config.threads = 4;
  const auto gemm = ThreadedGemm::build(problem, config, kernels_, run_in_order);
  ASSERT_TRUE(gemm.ok()) << gemm.status().to_string();
  problem.m = 16;
  const auto quarter = x86::GemmProgram::build(problem, config, kernels_);
  ASSERT_TRUE(quarter.ok()) << quarter.status().to_string();
  EXPECT_EQ((*gemm)->parts(), 4);
  EXPECT_EQ((*gemm)->code_bytes(), (*quarter)->code_bytes());
}

TEST_F(ThreadedGemmTest, UsesFewerThreadsThanAskedWhereThereIsTooLittle) {
  EXPECT_EQ(build(Problem::mm(DType::kF32, 64, 64, 40), ThreadSplit::kDepth, 8)->parts(), 3);
}

TEST_F(ThreadedGemmTest, IsUnsupportedWhereThereAreNotTwoParts) {
  GemmConfig config;
  config.threads = 2;
  for (const ThreadSplit split : {ThreadSplit::kRows, ThreadSplit::kColumns, ThreadSplit::kDepth}) {
    config.split = split;
    EXPECT_THAT(
        ThreadedGemm::build(Problem::mm(DType::kF32, 1, 8, 8), config, kernels_, run_in_order),
        FailsWith(StatusCode::kUnsupported, HasSubstr("too little")));
  }
}

TEST_F(ThreadedGemmTest, IsUnsupportedWherePartialProductsTakeTooMuchMemory) {
  GemmConfig config;
  config.threads = 2;
  config.split = ThreadSplit::kDepth;
  EXPECT_THAT(ThreadedGemm::build(Problem::mm(DType::kF32, 20000, 20000, 64), config, kernels_,
                                  run_in_order),
              FailsWith(StatusCode::kUnsupported, HasSubstr("256 MiB")));
}

TEST_F(ThreadedGemmTest, DigestTellsSplitsApartAndIsTheSameEachTime) {
  const Problem problem = Problem::mm(DType::kF32, 64, 64, 64);
  const uint64_t in_two = build(problem, ThreadSplit::kRows, 2)->digest();
  EXPECT_EQ(build(problem, ThreadSplit::kRows, 2)->digest(), in_two);
  EXPECT_NE(build(problem, ThreadSplit::kRows, 4)->digest(), in_two);
  EXPECT_NE(build(problem, ThreadSplit::kColumns, 2)->digest(), in_two);
}

}  // namespace
}  // namespace triode
