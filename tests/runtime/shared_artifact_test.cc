// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "tests/runtime/threaded_configs.h"

namespace triode {
namespace {

constexpr int64_t kSize = 96;
constexpr size_t kElements = kSize * kSize;

// Runs one artifact on several threads at once and counts wrong results.
int wrong_results(CpuDevice& device, const Artifact& artifact) {
  const std::vector<float> a(kElements, 1.0f);
  const std::vector<float> b(kElements, 2.0f);
  std::atomic<int> wrong{0};
  constexpr int kCallers = 3;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      std::vector<float> c(kElements);
      for (int i = 0; i < 50; ++i) {
        std::fill(c.begin(), c.end(), -1.0f);
        const Status status = device.run(artifact, {a.data(), b.data(), c.data(), 1, 0});
        if (!status.ok() || c != std::vector<float>(kElements, 2.0f * kSize)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  return wrong;
}

class SharedArtifact : public ::testing::TestWithParam<x86::ThreadSplit> {};

TEST_P(SharedArtifact, RunsOnManyThreadsAtOnce) {
  CpuDeviceOptions options;
  options.cores = 2;
  const auto device = std::move(CpuDevice::create(options)).take();
  Problem problem = Problem::mm(DType::kF32, kSize, kSize, kSize);
  problem.alignment_bytes = 4;
  problem.threads = 2;
  const auto configs = threaded_configs(problem, GetParam(), 2, 1);
  ASSERT_FALSE(configs.empty());
  const auto artifact = device->build(problem, x86::to_config(configs[0]));
  ASSERT_TRUE(artifact.ok()) << artifact.status().to_string();
  EXPECT_EQ(wrong_results(*device, **artifact), 0);
}

INSTANTIATE_TEST_SUITE_P(Splits, SharedArtifact,
                         ::testing::Values(x86::ThreadSplit::kRows, x86::ThreadSplit::kColumns,
                                           x86::ThreadSplit::kDepth));

}  // namespace
}  // namespace triode
