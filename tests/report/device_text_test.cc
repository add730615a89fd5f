// SPDX-License-Identifier: Apache-2.0
#include "tools/report/device_text.h"

#include <gtest/gtest.h>

#include <string>

#include "cache/validity.h"

namespace triode::report_tool {
namespace {

Target some_target() {
  return {.device = "a|b (1\\2)",
          .isa = "avx2",
          .toolchain = "asmjit",
          .driver = "",
          .cores = 2,
          .l1_bytes = 49152,
          .l2_bytes = 1 << 20,
          .l3_bytes = 32 << 20};
}

TEST(DeviceText, ReadsWhatADeviceIsCalled) {
  const Result<Target> target = parse_device(device_of(some_target()));
  ASSERT_TRUE(target.ok()) << target.status().message();
  EXPECT_EQ(device_of(*target), device_of(some_target()));
  EXPECT_EQ(target->device, "a|b (1\\2)");
}

TEST(DeviceText, IsWhatPeopleSay) {
  EXPECT_EQ(device_text(device_of(some_target())),
            "a|b (1\\2): avx2, 2 cores, 48.0 KiB L1, 1.0 MiB L2, 32.0 MiB L3");
  const Target gpu{.device = "A GPU",
                   .isa = "sm_80",
                   .toolchain = "",
                   .driver = "",
                   .cores = 108,
                   .l1_bytes = 0,
                   .l2_bytes = 40 << 20};
  EXPECT_EQ(device_text(device_of(gpu)), "A GPU: sm_80, 108 multiprocessors, 40.0 MiB L2");
}

TEST(DeviceText, LeavesForeignNamesAsTheyAre) {
  for (const std::string text : {"NVIDIA H100", "", "a|b", "a|b|c|d|e|f", "1|2|3|4"}) {
    EXPECT_EQ(device_text(text), text);
  }
}

}  // namespace
}  // namespace triode::report_tool
