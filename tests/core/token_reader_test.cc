// SPDX-License-Identifier: Apache-2.0
#include "core/token_reader.h"

#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

TEST(TokenReader, CutsAtWhiteSpaceAndCountsColumnsFromOne) {
  TokenReader reader("text", "  mm\t f32\r\n");
  const std::optional<Token> first = reader.next();
  const std::optional<Token> second = reader.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->text, "mm");
  EXPECT_EQ(first->column, 3u);
  EXPECT_EQ(second->text, "f32");
  EXPECT_EQ(second->column, 7u);
  EXPECT_FALSE(reader.next());
}

TEST(TokenReader, EmptyTextHasNoToken) {
  EXPECT_FALSE(TokenReader("text", "").next());
  EXPECT_FALSE(TokenReader("text", " \n ").next());
}

TEST(TokenReader, StaysAtTheEnd) {
  TokenReader reader("text", "a");
  ASSERT_TRUE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(TokenReader, ErrorNamesTextColumnAndToken) {
  EXPECT_THAT(TokenReader("text", "").error_at({"xyz", 9}, "is odd"),
              FailsWith(StatusCode::kInvalidArgument, "text, column 9: \"xyz\" is odd"));
}

TEST(TokenReader, ErrorAtEndPointsBehindTheLastToken) {
  EXPECT_THAT(TokenReader("text", "mm f32  ").error_at_end("too early"),
              FailsWith(StatusCode::kInvalidArgument, "text, column 7: the text ends too early"));
  EXPECT_THAT(TokenReader("text", "  ").error_at_end("too early"),
              FailsWith(StatusCode::kInvalidArgument, "text, column 1: the text ends too early"));
}

TEST(Split, GivesEachPartItsColumn) {
  const std::vector<Token> parts = split({"12x3x", 10}, 'x');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].text, "12");
  EXPECT_EQ(parts[0].column, 10u);
  EXPECT_EQ(parts[1].text, "3");
  EXPECT_EQ(parts[1].column, 13u);
  EXPECT_EQ(parts[2].text, "");
  EXPECT_EQ(parts[2].column, 15u);
}

TEST(SplitAssignment, CutsAtTheFirstEqualsSign) {
  const Assignment assignment = split_assignment({"ab=c=d", 5});
  ASSERT_TRUE(assignment.value);
  EXPECT_EQ(assignment.name.text, "ab");
  EXPECT_EQ(assignment.name.column, 5u);
  EXPECT_EQ(assignment.value->text, "c=d");
  EXPECT_EQ(assignment.value->column, 8u);
}

TEST(SplitAssignment, WithoutEqualsSignHasNoValue) {
  const Assignment assignment = split_assignment({"ab", 5});
  EXPECT_EQ(assignment.name.text, "ab");
  EXPECT_FALSE(assignment.value);
}

class WholeNumber : public ::testing::Test {
 protected:
  static Result<int64_t> read(std::string_view text, int64_t most = INT64_MAX) {
    return TokenReader("text", "").whole_number({text, 4}, most);
  }
};

TEST_F(WholeNumber, ReadsTheWholeRange) {
  EXPECT_EQ(read("0").value(), 0);
  EXPECT_EQ(read("0042").value(), 42);
  EXPECT_EQ(read("9223372036854775807").value(), INT64_MAX);
}

TEST_F(WholeNumber, RejectsWhatIsTooLarge) {
  EXPECT_THAT(read("9223372036854775808"),
              FailsWith(StatusCode::kInvalidArgument,
                        "text, column 4: \"9223372036854775808\" is too large; expected 0 to "
                        "9223372036854775807"));
  EXPECT_THAT(read("11", 10), FailsWith(StatusCode::kInvalidArgument,
                                        "text, column 4: \"11\" is too large; expected 0 to 10"));
}

class NotAWholeNumber : public WholeNumber, public ::testing::WithParamInterface<const char*> {};

TEST_P(NotAWholeNumber, IsRejected) {
  EXPECT_THAT(read(GetParam()),
              FailsWith(StatusCode::kInvalidArgument,
                        ::testing::HasSubstr("is not a whole number; expected 0 to")));
}

INSTANTIATE_TEST_SUITE_P(TokenReader, NotAWholeNumber,
                         ::testing::Values("", "-1", "-0", "+1", "1.5", "1e3", "0x10", "12a", "a",
                                           "-", "99999999999999999999z", "-99999999999999999999"));

}  // namespace
}  // namespace triode
