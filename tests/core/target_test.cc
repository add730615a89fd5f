// SPDX-License-Identifier: Apache-2.0
#include "core/target.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

Target some_cpu() {
  return {.device = "AMD EPYC 7B13",
          .isa = "avx2",
          .toolchain = "asmjit 1.9 emitter 3",
          .driver = "",
          .cores = 2,
          .l1_bytes = 32768,
          .l2_bytes = 524288,
          .l3_bytes = 33554432};
}

TEST(Target, FingerprintHoldsEveryFieldInOrder) {
  EXPECT_EQ(some_cpu().fingerprint(),
            "AMD EPYC 7B13|avx2|asmjit 1.9 emitter 3||2|32768|524288|33554432");
}

TEST(Target, FingerprintStaysOnOneLine) {
  Target target = some_cpu();
  target.driver = "535.1\r\nbuild 7";
  EXPECT_EQ(target.fingerprint(),
            "AMD EPYC 7B13|avx2|asmjit 1.9 emitter 3|535.1\\r\\nbuild 7|2|32768|524288|33554432");
}

TEST(Target, SeparatorInsideAFieldMakesNoOtherTarget) {
  Target in_device = some_cpu();
  in_device.device = "x|y";
  in_device.isa = "z";
  Target in_isa = some_cpu();
  in_isa.device = "x";
  in_isa.isa = "y|z";
  EXPECT_NE(in_device.fingerprint(), in_isa.fingerprint());
}

TEST(Target, BackslashBeforeTheSeparatorMakesNoOtherTarget) {
  Target backslash = some_cpu();
  backslash.device = "x\\";
  backslash.isa = "y";
  Target separator = some_cpu();
  separator.device = "x|y";
  separator.isa = "";
  EXPECT_NE(backslash.fingerprint(), separator.fingerprint());
  EXPECT_EQ(backslash.fingerprint().substr(0, 6), "x\\\\|y|");
}

TEST(Target, EscapedLineEndDiffersFromTheRealOne) {
  Target real = some_cpu();
  real.driver = "\n";
  Target spelled = some_cpu();
  spelled.driver = "\\n";
  EXPECT_NE(real.fingerprint(), spelled.fingerprint());
}

}  // namespace
}  // namespace triode
