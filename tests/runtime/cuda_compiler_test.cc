// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace triode {
namespace {

using ::testing::HasSubstr;

// One that has a Triton; asking for spaces starts no Python.
std::shared_ptr<CudaCompiler> with_triton() {
  CudaCompilerOptions options;
  options.python = "python3";
  options.worker = "compile_worker.py";
  return std::move(CudaCompiler::create(options)).take();
}

Target hopper() {
  Target target;
  target.isa = "sm_90";
  target.cores = 132;
  return target;
}

TEST(CudaCompiler, LeavesOutWhatNeedsAWorkspace) {
  const auto space =
      with_triton()->space_of(hopper(), Problem::mm(DType::kF16, 64, 64, 8192)).take();
  Config config = space.enumerate(1).front();
  config[space.position_of("split_k").value()] = 2;
  EXPECT_THAT(space.why_illegal(config).value_or("legal"), HasSubstr("workspace"));
}

TEST(CudaCompiler, DoesNotMultiplyWhatWantsScalesThatNoCallBrings) {
  const auto space = with_triton()->space_of(hopper(), Problem::mm(DType::kF8E4M3, 512, 512, 512));
  ASSERT_FALSE(space.ok());
  EXPECT_EQ(space.status().code(), StatusCode::kUnsupported) << space.status().message();
}

}  // namespace
}  // namespace triode
