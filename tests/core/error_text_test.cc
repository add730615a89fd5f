// SPDX-License-Identifier: Apache-2.0
#include "core/error_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace triode {
namespace {

TEST(InQuotes, PutsQuotesAround) {
  EXPECT_EQ(in_quotes("512x512"), "\"512x512\"");
  EXPECT_EQ(in_quotes(""), "\"\"");
}

TEST(InQuotes, ShowsBytesThatCannotBePrinted) {
  EXPECT_EQ(in_quotes(std::string_view("a\0b\n\x7f\xc3", 6)), "\"a\\x00b\\x0a\\x7f\\xc3\"");
}

TEST(InQuotes, CutsLongText) {
  EXPECT_EQ(in_quotes(std::string(40, 'a')), '"' + std::string(40, 'a') + '"');
  EXPECT_EQ(in_quotes(std::string(41, 'a')), '"' + std::string(40, 'a') + "...\"");
}

TEST(OneOf, ReadsAsEnglish) {
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a"}), "a");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b"}), "a or b");
  EXPECT_EQ(one_of(std::vector<std::string_view>{"a", "b", "c"}), "a, b or c");
}

TEST(OneOf, CutsLongListsAndSaysSo) {
  const std::vector<std::string_view> sixteen(16, "a");
  const std::vector<std::string_view> eighteen(18, "a");
  EXPECT_EQ(one_of(sixteen), "a, a, a, a, a, a, a, a, a, a, a, a, a, a, a or a");
  EXPECT_EQ(one_of(eighteen), "a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a or one of 2 more");
}

}  // namespace
}  // namespace triode
