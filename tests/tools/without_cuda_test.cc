// SPDX-License-Identifier: Apache-2.0
// The GPU's parts of a Triode that was built without CUDA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "runtime/host/gpu_plans.h"
#include "tests/core/status_matchers.h"
#include "tools/doctor/gpu_checks.h"
#include "tools/tuner/gpu_machine.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

TEST(WithoutCuda, ProgramsHaveNoPlansForAGpu) {
  host::GpuPlans plans;
  plans.start();
  EXPECT_EQ(plans.maker(0), nullptr);
  plans.forget_thread();
  plans.stop();
}

TEST(WithoutCuda, TheTunerRefusesCallsOnAGpu) {
  const std::unique_ptr<tuner::TrialLog> trials = tuner::no_stored_trials();
  tuner::GpuMachine machine(*trials);
  Target gpu;
  gpu.isa = "sm_80";
  const Problem problem = Problem::mm(DType::kF16, 64, 64, 64);
  EXPECT_TRUE(tuner::GpuMachine::runs(gpu));
  EXPECT_FALSE(tuner::GpuMachine::runs({}));
  const auto refuses = [](const auto& result) {
    EXPECT_THAT(result, FailsWith(StatusCode::kUnsupported, HasSubstr("built without CUDA")));
  };
  refuses(machine.space_of(gpu, problem));
  refuses(machine.recorded_as(gpu, problem));
  refuses(machine.code_of({}, "config"));
  EXPECT_FALSE(tuner::gpu_trials(1));
}

TEST(WithoutCuda, TheDoctorSaysSo) {
  const auto examined = doctor_tool::examine_gpu({}, true);
  ASSERT_TRUE(examined.ok());
  ASSERT_EQ(examined->findings.size(), 1u);
  EXPECT_EQ(examined->findings[0].health, doctor_tool::Health::kBad);
  EXPECT_THAT(examined->findings[0].fix, HasSubstr("TRIODE_WITH_CUDA=ON"));
}

}  // namespace
}  // namespace triode
