// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/gpu_test_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tools/doctor/gpu_findings.h"

namespace triode::doctor_tool {
namespace {

using ::testing::HasSubstr;

// On the virtual GPU, by NVRTC alone.
class GpuTestProcess : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("TRIODE_VGPU_FAULTS"); }

  static std::vector<SelfTestStep> test(const char* faults, GpuTestLimits limits = {}) {
    setenv("TRIODE_VGPU_FAULTS", faults, 1);
    SelfTestOptions options;
    options.driver = TRIODE_VIRTUAL_DRIVER;
    options.types = {};
    options.configs = 1;
    options.timed_size = 0;
    return test_gpu_apart(options, limits, {});
  }
  static int failures_of(const std::vector<SelfTestStep>& steps) {
    int failures = 0;
    for (const SelfTestStep& step : steps) failures += step.result == SelfTestResult::kFailed;
    return failures;
  }
};

TEST_F(GpuTestProcess, TellsWhatItsProcessFound) {
  const auto steps = test("");
  EXPECT_EQ(failures_of(steps), 0);
  EXPECT_EQ(steps.back().kind, "events");
}

TEST_F(GpuTestProcess, GoesOnInAnotherProcessWhereTheContextIsLost) {
  const size_t count = test("").size();
  const auto steps = test("cuLaunchKernel=700");
  ASSERT_EQ(steps.size(), count);
  EXPECT_EQ(failures_of(steps), 2);  // capture and events, each in a process of its own
  EXPECT_EQ(steps.back().kind, "events");
}

TEST_F(GpuTestProcess, GivesUpOnAGpuThatFailsAgainAndAgain) {
  GpuTestLimits limits;
  limits.restarts = 0;
  const auto steps = test("cuLaunchKernel=700", limits);
  EXPECT_EQ(failures_of(steps), 2);  // capture, and that it ended
  EXPECT_THAT(steps.back().text, HasSubstr("too often"));
}

TEST_F(GpuTestProcess, StopsAKernelThatNeverEnds) {
  GpuTestLimits limits;
  limits.patience = std::chrono::seconds(2);
  limits.restarts = 0;
  const auto steps = test("cuStreamSynchronize=hang", limits);
  const SelfTestStep& hung = steps[steps.size() - 2];
  EXPECT_EQ(hung.kind, "capture");
  EXPECT_EQ(hung.result, SelfTestResult::kFailed);
  EXPECT_THAT(hung.text, HasSubstr("stopped"));
}

TEST(GpuFindings, AreOneForEachKind) {
  const Findings findings =
      gpu_findings({{"driver", "", SelfTestResult::kPassed, "libcuda.so.1", 0},
                    {"triton mm f16", "p1", SelfTestResult::kPassed, "config", 0},
                    {"triton mm f16", "p2", SelfTestResult::kFailed, "element 3,4", 0},
                    {"nvrtc mm f32", "p1", SelfTestResult::kPassed, "config", 0},
                    {"nvrtc mm f32", "p2", SelfTestResult::kPassed, "config", 0},
                    {"tma", "p1", SelfTestResult::kSkipped, "no sm_90", 0}});
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].text, "libcuda.so.1");
  EXPECT_EQ(findings[1].health, Health::kBad);
  EXPECT_THAT(findings[1].text, HasSubstr("1 of 2 failed; p2: element 3,4"));
  EXPECT_THAT(findings[1].fix, HasSubstr("report"));
  EXPECT_EQ(findings[2].text, "2 of 2 right");
  EXPECT_EQ(findings[3].health, Health::kRemark);
}

TEST(GpuFindings, SayWhatToDoWithoutAGpu) {
  const Findings findings =
      gpu_findings({{"driver", "", SelfTestResult::kFailed, "no GPU can be used", 0}});
  EXPECT_THAT(findings[0].text, HasSubstr("no GPU"));
  EXPECT_THAT(findings[0].fix, HasSubstr("nvidia-smi"));
}

}  // namespace
}  // namespace triode::doctor_tool
