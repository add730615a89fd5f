// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_family.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

TEST(KernelFamily, ReadsBackWhatItPrints) {
  for (const KernelFamily family :
       {KernelFamily::kX86, KernelFamily::kTriton, KernelFamily::kInductor, KernelFamily::kNvrtc}) {
    const Result<KernelFamily> read = parse_kernel_family(to_string(family));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, family);
  }
}

TEST(KernelFamily, RefusesAnotherWord) {
  EXPECT_EQ(parse_kernel_family("cutlass").status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode
