// SPDX-License-Identifier: Apache-2.0
// The pool with workers that crash, hang and babble. None of them needs Triton.
#include "jit/cuda/triton_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/core/status_matchers.h"

namespace triode::cuda {
namespace {

using ::testing::HasSubstr;

const Problem kProblem = Problem::mm(DType::kF16, 100, 100, 100);
constexpr int kCrashes = 16;
constexpr int kHangs = 32;
constexpr int kRefuses = 64;
constexpr int kAnswers = 128;
constexpr int kBabbles = 256;

TritonPoolOptions options(std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  return {{TRIODE_TEST_PYTHON, TRIODE_MISBEHAVING_WORKER}, 2, limit};
}

Config config_with(int block_m) {
  Config config(9);
  const std::array<int, 9> values = {block_m, 32, 32, 8, 2, 4, 1, 0, 0};
  for (size_t i = 0; i < values.size(); ++i) config[i] = values[i];
  return config;
}

Result<TritonKernel> compile(TritonPool& pool, int block_m) {
  return pool.compile(kProblem, config_with(block_m), "sm_80");
}

TEST(TritonPool, GivesWhatTheWorkerAnswers) {
  TritonPool pool(options());
  const auto kernel = compile(pool, kAnswers);
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_EQ(kernel->toolchain, "triton 9.9");
  ASSERT_EQ(kernel->functions.size(), 1u);
  const TritonFunction& function = kernel->functions[0];
  EXPECT_EQ(function.threads, 128u);
  EXPECT_EQ(function.shared_bytes, 64u);
  EXPECT_EQ(function.registers, 40u);
  EXPECT_EQ(function.spill_bytes, 24u);
  EXPECT_EQ(function.block_m, 128);
  EXPECT_EQ(function.block_n, 32);
  EXPECT_EQ(function.parameters,
            (std::vector<TritonParameter>{{TritonRole::kGlobalScratch, 0, 8},
                                          {TritonRole::kProfileScratch, 8, 8}}));
  EXPECT_EQ(function.ptx, "ptx");
}

TEST(TritonPool, AsksForTheToolchainOnce) {
  TritonPool pool(options());
  for (int i = 0; i < 2; ++i) {
    const auto toolchain = pool.toolchain("sm_80");
    ASSERT_TRUE(toolchain.ok()) << toolchain.status().to_string();
    EXPECT_EQ(*toolchain, "triton 9.9");
  }
}

TEST(TritonPool, KeepsAWorkerForTheNextCompile) {
  TritonPool pool(options());
  const auto first = compile(pool, kAnswers);
  const auto second = compile(pool, kAnswers);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->functions[0].entry,
            second->functions[0].entry);  // it holds the worker's process id
}

TEST(TritonPool, PassesOnTheCompilersWords) {
  TritonPool pool(options());
  EXPECT_THAT(compile(pool, kRefuses),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("too many registers\nmore words")));
}

TEST(TritonPool, ReplacesAWorkerThatCrashed) {
  TritonPool pool(options());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(compile(pool, kCrashes), FailsWith(StatusCode::kUnavailable, HasSubstr("ended")));
  }
  EXPECT_TRUE(compile(pool, kAnswers).ok());
}

TEST(TritonPool, EndsAWorkerThatHangs) {
  TritonPool pool(options(std::chrono::milliseconds(200)));
  EXPECT_THAT(compile(pool, kHangs), FailsWith(StatusCode::kUnavailable, HasSubstr("in time")));
}

TEST(TritonPool, ReplacesAWorkerThatBabbles) {
  TritonPool pool(options());
  EXPECT_THAT(compile(pool, kBabbles),
              FailsWith(StatusCode::kUnavailable, HasSubstr("not a frame")));
  EXPECT_TRUE(compile(pool, kAnswers).ok());
}

TEST(TritonPool, SaysWhenThereIsNoPython) {
  TritonPoolOptions without = options();
  without.tools.python = "/nonexistent/python";
  TritonPool pool(without);
  for (int i = 0; i < 3; ++i) {  // more often than there are places for workers
    EXPECT_THAT(compile(pool, kAnswers),
                FailsWith(StatusCode::kUnavailable, HasSubstr("/nonexistent/python")));
  }
}

TEST(TritonPool, RefusesWhatTheKernelDoesNotDo) {
  TritonPool pool(options());
  EXPECT_THAT(pool.compile(Problem::mm(DType::kF64, 64, 64, 64), config_with(kAnswers), "sm_80"),
              FailsWith(StatusCode::kUnsupported, HasSubstr("f64")));
}

TEST(TritonPool, CompilesOnManyThreadsWithAsManyWorkersAsAllowed) {
  TritonPool pool(options());
  std::vector<std::string> entries(6);
  std::vector<std::thread> threads;
  for (std::string& entry : entries) {
    threads.emplace_back([&pool, &entry] {
      for (int i = 0; i < 5; ++i) {
        const auto kernel = compile(pool, kAnswers);
        entry = kernel.ok() ? kernel->functions[0].entry : kernel.status().to_string();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& entry : entries) EXPECT_EQ(entry[0], 'e') << entry;
  EXPECT_LE(std::set<std::string>(entries.begin(), entries.end()).size(), 2u);
}

}  // namespace
}  // namespace triode::cuda
