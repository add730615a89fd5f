// SPDX-License-Identifier: Apache-2.0
// What the self-test of a GPU would compile on architectures that nothing here can execute.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "runtime/device/self_test_case.h"
#include "tests/jit_cuda/triton_on_virtual_gpu.h"

namespace triode::cuda {
namespace {

// One config of each case with tensor descriptors, as the self-test draws it.
std::vector<std::future<Result<TritonKernel>>> compile_tma(DType type, const BlockLimits& limits) {
  std::vector<std::future<Result<TritonKernel>>> running;
  for (const SelfTestCase& each : triton_cases(type, limits)) {
    if (each.kind.find("tma") == std::string::npos) continue;
    running.push_back(std::async(std::launch::async, [each, limits]() -> Result<TritonKernel> {
      const auto configs = TRIODE_TRY(configs_of(each, limits, 1));
      return shared_triton_pool().compile(each.problem, configs[0].config,
                                          "sm_" + std::to_string(limits.capability));
    }));
  }
  return running;
}

TEST(SelfTestCases, OfTensorDescriptorsCompileForHopperAndBlackwell) {
  for (const BlockLimits& limits :
       {BlockLimits{.smem_bytes = 232448, .capability = 90, .multiprocessors = 132},
        BlockLimits{.smem_bytes = 232448, .capability = 100, .multiprocessors = 148}}) {
    for (const DType type : {DType::kF16, DType::kF8E4M3}) {
      auto running = compile_tma(type, limits);
      EXPECT_EQ(running.size(), 5u);
      for (auto& one : running) {
        const Result<TritonKernel> kernel = one.get();
        ASSERT_TRUE(kernel.ok()) << limits.capability << ": " << kernel.status().to_string();
        EXPECT_NE(kernel->functions[0].ptx.find("cp.async.bulk.tensor"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace triode::cuda
