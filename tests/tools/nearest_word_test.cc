// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/nearest_word.h"

#include <gtest/gtest.h>

namespace triode::cli {
namespace {

TEST(NearestWord, ForgivesTwoSlips) {
  EXPECT_EQ(nearest_word("benhc", {"bench", "top"}), "bench");
  EXPECT_EQ(nearest_word("tpo", {"bench", "top"}), "top");
}

TEST(NearestWord, SuggestsNothingForAnotherWord) {
  EXPECT_EQ(nearest_word("compile", {"bench", "top"}), std::nullopt);
  EXPECT_EQ(nearest_word("", {"ls"}), std::nullopt);
}

}  // namespace
}  // namespace triode::cli
