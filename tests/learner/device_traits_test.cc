// SPDX-License-Identifier: Apache-2.0
#include "learner/model/device_traits.h"

#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

TEST(DeviceTraits, KnowGpusByShortAndByMarketingName) {
  EXPECT_EQ(find_gpu("A100")->gpu.multiprocessors, 108);
  EXPECT_EQ(find_gpu("NVIDIA H100 80GB HBM3")->name, "h100");
  EXPECT_FALSE(find_gpu("NVIDIA B200"));
}

TEST(DeviceTraits, OfATargetAreThoseOfItsGpu) {
  Target target;
  target.isa = "sm_90";
  target.device = "NVIDIA H100 PCIe";
  ASSERT_TRUE(traits_of(target).ok());
  EXPECT_TRUE(traits_of(target)->gpu.has_warpgroup_mma);
}

TEST(DeviceTraits, OfAnUnknownGpuAreAnErrorThatNamesTheKnown) {
  Target target;
  target.isa = "sm_100";
  target.device = "NVIDIA B200";
  EXPECT_THAT(traits_of(target),
              FailsWith(StatusCode::kUnsupported, ::testing::HasSubstr("a100, h100")));
}

TEST(DeviceTraits, OfACpuComeFromItsTarget) {
  Target target;
  target.isa = "avx512";
  target.device = "some Xeon";
  target.cores = 8;
  target.l2_bytes = 2 << 20;
  const Result<DeviceTraits> traits = traits_of(target);
  ASSERT_TRUE(traits.ok());
  EXPECT_EQ(traits->kind, DeviceKind::kCpu);
  EXPECT_EQ(traits->cpu.vector_bytes, 64);
  EXPECT_EQ(traits->cpu.l2_bytes, 2 << 20);
  EXPECT_EQ(traits->cpu.l1_bytes, 32768);  // not told: the usual
}

}  // namespace
}  // namespace triode
