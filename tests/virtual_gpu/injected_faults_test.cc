// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/injected_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::vgpu {
namespace {

using ::testing::HasSubstr;

TEST(InjectedFaults, AnswerFromTheChosenCallOn) {
  auto faults = InjectedFaults::parse("cuMemAlloc=2@3,cuLaunchKernel=719");
  ASSERT_TRUE(faults.ok()) << faults.status().to_string();
  EXPECT_EQ(faults->next("cuMemAlloc_v2"), 0u);
  EXPECT_EQ(faults->next("cuMemAlloc_v2"), 0u);
  EXPECT_EQ(faults->next("cuMemAlloc_v2"), 2u);
  EXPECT_EQ(faults->next("cuMemAlloc_v2"), 2u);
  EXPECT_EQ(faults->next("cuLaunchKernel"), 719u);
  EXPECT_EQ(faults->next("cuInit"), 0u);
}

TEST(InjectedFaults, KnowToHang) {
  auto faults = InjectedFaults::parse("cuInit=hang");
  ASSERT_TRUE(faults.ok());
  EXPECT_EQ(faults->next("cuInit"), InjectedFaults::kHang);
}

TEST(InjectedFaults, RefuseWhatMakesNoSense) {
  for (const char* text : {"cuInit", "cuInit=", "cuInit=0", "cuInit=x", "cuInit=1@", "cuInit=1@0",
                           "launch=1", "cuInit=1,,"}) {
    EXPECT_THAT(InjectedFaults::parse(text),
                FailsWith(StatusCode::kInvalidArgument, HasSubstr("cuLaunchKernel=719@3")))
        << text;
  }
}

}  // namespace
}  // namespace triode::vgpu
