// SPDX-License-Identifier: Apache-2.0
#include "learner/model/gpu_properties.h"

#include <gtest/gtest.h>

#include <optional>

namespace triode {
namespace {

GpuProperties b200() {
  return {.name = "NVIDIA B200",
          .capability_major = 10,
          .capability_minor = 0,
          .multiprocessors = 148,
          .smem_per_multiprocessor_bytes = 233472,
          .smem_per_block_bytes = 232448,
          .l2_bytes = 132644864,
          .clock_khz = 0,
          .memory_clock_khz = 0,
          .memory_bus_bits = 0};
}

TEST(GpuProperties, KnownNameGivesTheTraitsOnRecord) {
  GpuProperties properties = b200();
  properties.name = "NVIDIA A100-SXM4-40GB";
  const auto traits = traits_of_gpu(properties);
  ASSERT_TRUE(traits.ok());
  EXPECT_EQ(*traits, *find_gpu("a100"));
}

TEST(GpuProperties, UnknownGpuIsScaledFromTheNearestKnown) {
  const auto traits = traits_of_gpu(b200());
  ASSERT_TRUE(traits.ok());
  const DeviceTraits h100 = *find_gpu("h100");
  EXPECT_EQ(traits->name, "NVIDIA B200");
  EXPECT_EQ(traits->family, h100.family);
  EXPECT_EQ(traits->gpu.multiprocessors, 148);
  EXPECT_EQ(traits->gpu.l2_bytes, 132644864);
  // Twice the tensor core of an H100's multiprocessor, on more of them, and no clock to tell more.
  EXPECT_DOUBLE_EQ(traits->gpu.tensor16_flops, h100.gpu.tensor16_flops * 2 * 148 / 132);
  EXPECT_FALSE(traits->gpu.has_warpgroup_mma);
}

TEST(GpuProperties, MemoryIsAsFastAsItsClockAndWidthSay) {
  GpuProperties properties = b200();
  properties.capability_major = 8;
  properties.memory_clock_khz = 2 * 1215000;
  properties.memory_bus_bits = 5120 / 4;
  const auto traits = traits_of_gpu(properties);
  ASSERT_TRUE(traits.ok());
  EXPECT_DOUBLE_EQ(traits->gpu.dram_bytes_per_s, find_gpu("a100")->gpu.dram_bytes_per_s / 2);
}

TEST(GpuProperties, OldAndUnsizedGpusAreRefused) {
  GpuProperties properties = b200();
  properties.capability_major = 6;
  EXPECT_EQ(traits_of_gpu(properties).status().code(), StatusCode::kUnsupported);
  properties = b200();
  properties.l2_bytes = 0;
  EXPECT_EQ(traits_of_gpu(properties).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode
