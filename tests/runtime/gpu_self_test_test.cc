// SPDX-License-Identifier: Apache-2.0
// The self-test of a GPU on the virtual one: that it passes where all is well, and that what is
// broken on purpose makes it fail.
#include "runtime/device/gpu_self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda_device.h"
#include "runtime/device/self_test_case.h"
#include "runtime/device/self_test_matrices.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

// Compiles by NVRTC alone: the real Triton has tests of its own.
SelfTestOptions quick(std::vector<DType> types) {
  SelfTestOptions options;
  options.driver = TRIODE_VIRTUAL_DRIVER;
  options.types = std::move(types);
  options.configs = 1;
  options.timed_size = 32;
  return options;
}

struct Answer {
  bool is_whole = false;
  std::vector<SelfTestStep> steps;

  const SelfTestStep& of(const std::string& kind) const {
    for (const SelfTestStep& step : steps) {
      if (step.kind == kind) return step;
    }
    ADD_FAILURE() << "no step of " << kind;
    return steps.front();
  }
  std::map<SelfTestResult, int> counts() const {
    std::map<SelfTestResult, int> counts;
    for (const SelfTestStep& step : steps) ++counts[step.result];
    return counts;
  }
};

Answer answer_of(SelfTestOptions options) {
  Answer answer;
  options.on_end = [&](const SelfTestStep& step) { answer.steps.push_back(step); };
  answer.is_whole = test_gpu(options);
  return answer;
}

class GpuSelfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TRIODE_VGPU_DEVICES", "1", 1);
    unsetenv("TRIODE_VGPU_FAULTS");
  }
  void TearDown() override { unsetenv("TRIODE_VGPU_FAULTS"); }
};

TEST_F(GpuSelfTest, PassesWhereAllIsWell) {
  const Answer answer = answer_of(quick({DType::kF32}));
  EXPECT_TRUE(answer.is_whole);
  for (const SelfTestStep& step : answer.steps) {
    EXPECT_NE(step.result, SelfTestResult::kFailed)
        << step.kind << ", " << step.name << ": " << step.text;
  }
  EXPECT_THAT(answer.of("device").text, HasSubstr("test instrument"));
  EXPECT_THAT(answer.of("limits").text, HasSubstr("65536"));
  for (const char* kind : {"driver", "memory", "nvrtc", "nvrtc mm f32", "nvrtc bmm f32", "capture",
                           "events", "nvrtc time f32"}) {
    EXPECT_EQ(answer.of(kind).result, SelfTestResult::kPassed) << kind;
  }
  // No Triton was named.
  EXPECT_EQ(answer.of("triton split-k f32").result, SelfTestResult::kSkipped);
  EXPECT_THAT(answer.of("triton").text, HasSubstr("TRIODE_PYTHON"));
}

TEST_F(GpuSelfTest, SkipsTypesThatTheGpuDoesNotMultiply) {
  SelfTestOptions options = quick({DType::kF8E4M3});
  options.compilers.python = options.compilers.worker = "/nowhere";  // not come to
  const Answer answer = answer_of(options);
  EXPECT_THAT(answer.of("triton mm f8e4m3").text, HasSubstr("8-bit"));
  EXPECT_EQ(answer.of("triton mm f8e4m3").result, SelfTestResult::kSkipped);
}

TEST_F(GpuSelfTest, GoesOnAfterARefusedLaunch) {
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=701", 1);
  const Answer answer = answer_of(quick({}));
  EXPECT_TRUE(answer.is_whole);
  EXPECT_THAT(answer.of("capture").text, HasSubstr("OUT_OF_RESOURCES"));
  EXPECT_THAT(answer.of("events").text, HasSubstr("OUT_OF_RESOURCES"));
}

TEST_F(GpuSelfTest, EndsWhereTheContextIsLostAndGoesOnFromAnyStep) {
  SelfTestOptions options = quick({});
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=700", 1);
  const Answer answer = answer_of(options);
  EXPECT_FALSE(answer.is_whole);
  EXPECT_EQ(answer.steps.back().kind, "capture");
  unsetenv("TRIODE_VGPU_FAULTS");
  options.first = answer.steps.size();
  const Answer rest = answer_of(options);
  ASSERT_EQ(rest.steps.size(), 1u);
  EXPECT_EQ(rest.steps[0].kind, "events");
}

TEST_F(GpuSelfTest, SaysThatACaptureWasSpoilt) {
  setenv("TRIODE_VGPU_FAULTS", "cuStreamEndCapture=901", 1);
  const Answer answer = answer_of(quick({}));
  EXPECT_EQ(answer.of("capture").result, SelfTestResult::kFailed) << answer.of("capture").text;
}

TEST_F(GpuSelfTest, WithoutAGpuTriesWhatNeedsNone) {
  setenv("TRIODE_VGPU_DEVICES", "0", 1);
  const Answer answer = answer_of(quick({DType::kF32}));
  EXPECT_TRUE(answer.is_whole);
  EXPECT_EQ(answer.of("driver").result, SelfTestResult::kFailed);
  EXPECT_THAT(answer.of("driver").text, HasSubstr("no GPU"));
  EXPECT_EQ(answer.of("nvrtc").result, SelfTestResult::kPassed);
  EXPECT_EQ(answer.counts()[SelfTestResult::kFailed], 1);
}

TEST_F(GpuSelfTest, SaysThatThereIsNoDriver) {
  SelfTestOptions options = quick({});
  options.driver = "/nowhere/libcuda.so.1";
  EXPECT_THAT(answer_of(options).of("driver").text, HasSubstr("no GPU"));
}

// On GPUs that no test here runs on.
TEST(SelfTestCases, HaveAConfigOnEveryArchitecture) {
  const cuda::BlockLimits gpus[] = {
      {},  // A100
      {.smem_bytes = 101376, .capability = 89, .resident_threads = 1536, .multiprocessors = 128},
      {.smem_bytes = 232448, .capability = 90, .multiprocessors = 132},
      {.smem_bytes = 232448, .capability = 100, .multiprocessors = 148}};
  for (const cuda::BlockLimits& limits : gpus) {
    for (const DType type : SelfTestOptions().types) {
      if (type == DType::kF8E4M3 && limits.capability < 89) continue;
      std::vector<SelfTestCase> cases = triton_cases(type, limits);
      for (const SelfTestCase& each : nvrtc_cases(type)) cases.push_back(each);
      for (const SelfTestCase& each : timed_cases(type, 2048)) cases.push_back(each);
      for (const SelfTestCase& each : cases) {
        const auto configs = configs_of(each, limits, 2);
        EXPECT_TRUE(configs.ok()) << limits.capability << ", " << to_string(each.problem) << ": "
                                  << (configs.ok() ? "" : configs.status().message());
      }
    }
  }
}

// What decides whether a kernel was right: kernels for slightly other problems are not.
class SelfTestComparison : public GpuSelfTest {
 protected:
  void SetUp() override {
    GpuSelfTest::SetUp();
    CudaDeviceOptions options;
    options.driver = TRIODE_VIRTUAL_DRIVER;
    options.compiler = std::move(CudaCompiler::create({})).take();
    auto made = CudaDevice::create(options);
    ASSERT_TRUE(made.ok()) << made.status().message();
    device_ = std::move(made).take();
  }

  // The operands of `problem`, and what a kernel for `other` makes of them.
  Status judge(const Problem& problem, const Problem& other, double alpha = 1, double beta = 0) {
    const auto matrices = TRIODE_TRY(SelfTestMatrices::make(*device_, problem, alpha, beta));
    const Space space = TRIODE_TRY(device_->enumerate(other));
    const auto artifact = TRIODE_TRY(device_->build(other, space.enumerate(1).front()));
    TRIODE_TRY(device_->run(*artifact, matrices.operands()));
    return matrices.compare();
  }

  std::unique_ptr<CudaDevice> device_;
};

TEST_F(SelfTestComparison, KnowsARightKernel) {
  for (const DType type : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    const Problem problem = Problem::mm(type, 9, 7, 13);
    const Status status = judge(problem, problem);
    EXPECT_TRUE(status.ok()) << status.message();
    Problem scaled = problem;
    scaled.alpha = scaled.beta = ScalarClass::kOther;
    EXPECT_TRUE(judge(scaled, scaled, 0.5, 2).ok());
  }
}

TEST_F(SelfTestComparison, KnowsAWrongOne) {
  Problem problem = Problem::mm(DType::kF32, 8, 8, 8);
  problem.ldc = 10;
  ASSERT_TRUE(judge(problem, problem).ok());
  Problem other = problem;
  other.k = 7;  // a share of the sum left out
  EXPECT_THAT(judge(problem, other).message(), HasSubstr("element"));
  other = problem;
  other.b_transposed = true;
  EXPECT_FALSE(judge(problem, other).ok());
  other = problem;
  other.m = 7;  // a row that nobody wrote
  EXPECT_THAT(judge(problem, other).message(), HasSubstr("7,0"));
  other = problem;
  other.n = 9;  // a column too many
  other.ldb = 8;
  EXPECT_FALSE(judge(problem, other).ok());
}

}  // namespace
}  // namespace triode
