// SPDX-License-Identifier: Apache-2.0
#include "tools/toolkit/hand_over.h"

#include <gtest/gtest.h>

#include <array>

namespace triode::toolkit {
namespace {

constexpr std::array<std::string_view, 2> kOptions = {"--num-shapes", "--output"};

bool has(const std::vector<std::string>& arguments) {
  return has_option(arguments, kOptions);
}

TEST(HandOver, OptionsAreFoundWithAndWithoutTheirValue) {
  EXPECT_TRUE(has({"--seed", "1", "--num-shapes", "3"}));
  EXPECT_TRUE(has({"--output=x"}));
  EXPECT_FALSE(has({"--num", "--outputs", "-o", "output"}));
  EXPECT_FALSE(has({}));
}

// No toolkit lies beside the tests.
TEST(HandOver, WithoutAToolkitSaysWhatToDo) {
  const Status status = become_toolkit("collect", {"--num-shapes", "3"});
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("build Triode with Python"), std::string::npos);
}

}  // namespace
}  // namespace triode::toolkit
