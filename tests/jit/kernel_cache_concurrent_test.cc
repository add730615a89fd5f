// SPDX-License-Identifier: Apache-2.0
// What several threads share: the cache of kernels, and programs that run in many threads at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/random.h"
#include "jit/x86/gemm_program.h"
#include "jit/x86/gemm_space.h"
#include "jit/x86/kernel_cache.h"
#include "tests/jit/kernel_specs.h"
#include "tests/reference/error_bound.h"
#include "tests/reference/guarded_memory.h"
#include "tests/reference/guarded_operands.h"

namespace triode::x86 {
namespace {

using ::testing::Each;

constexpr int kThreads = 8;

// Runs `body` in kThreads threads that begin together; returns when all have ended.
void in_threads(const std::function<void(int)>& body) {
  std::barrier start(kThreads);
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
}

TEST(KernelCacheConcurrently, ThreadsThatAskForTheSameKernelShareOne) {
  for (int64_t k = 1; k <= 50; ++k) {
    KernelCache cache;
    std::vector<std::shared_ptr<const Kernel>> kernels(kThreads);
    in_threads([&](int i) {
      auto kernel = cache.get(resized(outer_spec(IsaId::kAvx2), 8, 32, k));
      if (kernel.ok()) kernels[static_cast<size_t>(i)] = std::move(kernel).take();
    });
    ASSERT_NE(kernels[0], nullptr);
    EXPECT_THAT(kernels, Each(kernels[0]));
  }
}

TEST(KernelCacheConcurrently, EveryRequestIsCountedOnce) {
  constexpr int kRequests = 200;
  KernelCache cache;
  in_threads([&](int i) {
    for (int request = 0; request < kRequests; ++request) {
      const int64_t k = 1 + (request + i) % 7;
      EXPECT_TRUE(cache.get(resized(outer_spec(IsaId::kAvx2), 4, 16, k)).ok());
    }
  });
  EXPECT_EQ(cache.counters().compiled + cache.counters().shared, kThreads * kRequests);
}

TEST(KernelCacheConcurrently, KernelsComeAndGoWhileOthersAreHeld) {
  KernelCache cache;
  std::atomic<int> wrong = 0;
  in_threads([&](int i) {
    Random random(static_cast<uint64_t>(i));
    std::shared_ptr<const Kernel> held;
    for (int step = 0; step < 300; ++step) {
      const KernelSpec spec =
          resized(outer_spec(IsaId::kAvx2), 4, 16, 1 + static_cast<int64_t>(random.below(400)));
      auto kernel = cache.get(spec);
      if (!kernel.ok() || (*kernel)->code().empty()) ++wrong;
      if (random.below(2) == 0) held = *kernel;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// A config that packs both operands, so that the threads' workspaces matter.
GemmConfig packing_config() {
  GemmConfig config;
  config.isa = IsaId::kAvx2;
  config.mr = 4;
  config.nr = 16;
  config.kc = 16;
  config.pack_a = PackA::kCopy;
  config.pack_b = PackB::kWhole;
  return config;
}

TEST(GemmProgramConcurrently, RunsInManyThreadsAtOnce) {
  if (runnable_isas().empty()) GTEST_SKIP() << "this processor has no AVX2";
  const Problem problem = Problem::mm(DType::kF32, 33, 65, 47);
  KernelCache cache;
  const auto program = GemmProgram::build(problem, packing_config(), cache);
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  ASSERT_GT((*program)->workspace_bytes(), 0u);
  std::vector<std::string> mismatches(kThreads);
  in_threads([&](int i) {
    GuardedOperands matrices(problem, Guard::kAfterEnd, static_cast<uint64_t>(i));
    const Operands operands = matrices.operands(1, 0);
    const ErrorBound bound(problem, operands);
    const GuardedMemory workspace((*program)->workspace_bytes(), Guard::kBeforeStart);
    for (int run = 0; run < 100; ++run) {
      (*program)->run(operands, workspace.data());
      if (const auto mismatch = bound.find_mismatch(operands.c))
        mismatches[static_cast<size_t>(i)] = *mismatch;
    }
  });
  EXPECT_THAT(mismatches, Each(""));
}

TEST(GemmProgramConcurrently, IsBuiltInManyThreadsAtOnce) {
  const Problem problem = Problem::mm(DType::kF64, 33, 65, 47);
  KernelCache cache;
  std::vector<uint64_t> digests(kThreads);
  in_threads([&](int i) {
    const auto program = GemmProgram::build(problem, packing_config(), cache);
    if (program.ok()) digests[static_cast<size_t>(i)] = (*program)->digest();
  });
  EXPECT_NE(digests[0], 0u);
  EXPECT_THAT(digests, Each(digests[0]));
}

}  // namespace
}  // namespace triode::x86
