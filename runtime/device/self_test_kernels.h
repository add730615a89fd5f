// SPDX-License-Identifier: Apache-2.0
// Internal to the self-test of a GPU.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "jit/cuda/nvrtc_compiler.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_launch.h"
#include "jit/cuda/triton_pool.h"
#include "runtime/device/cuda_device.h"
#include "runtime/device/self_test_case.h"
#include "runtime/device/self_test_matrices.h"

namespace triode {

// The compilers of a self-test; either may be missing.
struct SelfTestCompilers {
  std::unique_ptr<cuda::TritonPool> triton;
  std::optional<cuda::NvrtcCompiler> nvrtc;
};

// One config of a case, loaded, with its operands.
struct SelfTestKernel {
  std::string config;
  CudaBuffer workspace;
  std::unique_ptr<SelfTestMatrices> matrices;
  std::unique_ptr<Artifact> artifact;
};

// Compiles cases for a GPU, several at once and ahead of when they are asked for, in their order.
// One thread asks.
class SelfTestKernels {
 public:
  SelfTestKernels(CudaDevice& device, SelfTestCompilers& compilers, int configs)
      : device_(device), compilers_(compilers), configs_(configs) {}
  // Waits for what is being compiled.
  ~SelfTestKernels() = default;

  // Returns its number.
  size_t add(SelfTestCase added);
  const SelfTestCase& at(size_t number) const { return cases_[number]; }

  // All configs of that case give the right result. The configs, or what went wrong.
  Result<std::string> check(size_t number);
  // The first config of that case, ready to run.
  Result<SelfTestKernel> prepare(size_t number);

 private:
  struct Compiled {
    std::string config;
    std::optional<cuda::TritonKernel> triton;
    CudaProgram program;  // where it is not Triton's
  };
  std::vector<Result<Compiled>> compile(const SelfTestCase& wanted) const;
  Result<Compiled> compile_one(const SelfTestCase& wanted, const SelfTestConfig& choice) const;
  std::vector<Result<Compiled>> compiled(size_t number);
  Result<SelfTestKernel> load(const SelfTestCase& wanted, Result<Compiled> compiled) const;
  Status try_kernel(const SelfTestCase& wanted, const SelfTestKernel& kernel) const;

  CudaDevice& device_;
  SelfTestCompilers& compilers_;
  const int configs_;
  std::vector<SelfTestCase> cases_;
  std::vector<std::future<std::vector<Result<Compiled>>>> running_;  // by case
};

}  // namespace triode
