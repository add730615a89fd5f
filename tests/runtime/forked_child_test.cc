// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "runtime/device/parallel_library.h"
#include "runtime/device/scratch.h"
#include "runtime/device/threaded_gemm.h"
#include "tests/runtime/threaded_configs.h"

namespace triode {
namespace {

// Whether `claim` holds in a child forked here.
bool holds_in_child(const std::function<bool()>& claim) {
  const pid_t child = fork();
  if (child == 0) _exit(claim() ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

struct Threads {
  std::vector<std::thread::id> of_part;

  static void note(void* context, int part) {
    static_cast<Threads*>(context)->of_part[static_cast<size_t>(part)] = std::this_thread::get_id();
  }
};

TEST(ForkedChild, RunsAllPartsOnTheCallingThread) {
  const ParallelFor loop = std::move(parallel_library()).take();
  EXPECT_TRUE(holds_in_child([&] {
    Threads threads{std::vector<std::thread::id>(8)};
    loop(8, &Threads::note, &threads);
    return threads.of_part == std::vector<std::thread::id>(8, std::this_thread::get_id());
  }));
}

TEST(ForkedChild, GetsTheSameResultsAsItsParent) {
  Problem problem = Problem::mm(DType::kF32, 128, 128, 128);
  problem.alignment_bytes = 4;
  std::vector<float> a(128 * 128, 0.3f);
  std::vector<float> b(128 * 128, 0.7f);
  std::vector<float> expected(128 * 128);
  const auto configs = threaded_configs(problem, x86::ThreadSplit::kDepth, 2, 1);
  ASSERT_FALSE(configs.empty());
  x86::KernelCache kernels;
  const auto gemm =
      ThreadedGemm::build(problem, configs[0], kernels, std::move(parallel_library()).take());
  ASSERT_TRUE(gemm.ok()) << gemm.status().to_string();
  void* const workspace = thread_scratch((*gemm)->workspace_bytes());
  (*gemm)->run({a.data(), b.data(), expected.data(), 1, 0}, workspace);
  EXPECT_TRUE(holds_in_child([&] {
    std::vector<float> c(128 * 128);
    (*gemm)->run({a.data(), b.data(), c.data(), 1, 0}, workspace);
    return c == expected;
  }));
}

}  // namespace
}  // namespace triode
