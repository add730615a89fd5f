// SPDX-License-Identifier: Apache-2.0
#include "core/target_text.h"

#include <gtest/gtest.h>

#include <string>

namespace triode {
namespace {

Target some_gpu() {
  return {.device = "a|b\\c\nd\re",
          .isa = "sm_80",
          .toolchain = "triton 3.9.0",
          .driver = "550.1",
          .cores = 108,
          .l1_bytes = 1,
          .l2_bytes = 2,
          .l3_bytes = 3};
}

TEST(TargetText, ReadsBackWhatATargetGives) {
  EXPECT_EQ(parse_fingerprint(some_gpu().fingerprint()).take(), some_gpu());
  EXPECT_EQ(parse_fingerprint(Target().fingerprint()).take(), Target());
}

TEST(TargetText, RefusesWhatNoTargetGives) {
  const std::string good = some_gpu().fingerprint();
  for (const std::string& text : {std::string(), good + "|4", good.substr(0, good.size() - 2),
                                  good + "x", "\\" + good, std::string("a|b|c|d|1|2|3|x")}) {
    EXPECT_EQ(parse_fingerprint(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace triode
