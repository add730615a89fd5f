// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"
#include "tools/cache/figures.h"
#include "tools/cache/text_table.h"

namespace triode::cache_tool {
namespace {

using ::testing::HasSubstr;

TextTable sample() {
  TextTable table({{"NAME", false, true}, {"N", true, false}});
  table.add({{"a rather long name", Tone::kPlain}, {"1", Tone::kGood}});
  table.add({{"b\x1b[2J", Tone::kPlain}, {"1,000", Tone::kPlain}});
  return table;
}

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(sample().text({}),
            "NAME                    N\n"
            "a rather long name      1\n"
            "b?[2J               1,000\n");
}

TEST(TextTable, FitsTheTerminalByCuttingWhatMayBeCut) {
  const Terminal narrow{true, false, 17};
  EXPECT_EQ(sample().text(narrow),
            "NAME            N\n"
            "a rather …      1\n"
            "b?[2J       1,000\n");
}

TEST(TextTable, LeavesOutTheLastColumnThatMayBeWhereCuttingIsNotEnough) {
  TextTable table({{.title = "N", .may_be_left_out = true},
                   {.title = "NAME", .may_be_cut = true, .least_width = 6},
                   {.title = "SIZE", .is_number = true, .may_be_left_out = true}});
  table.add({{"7", Tone::kGood}, {"a rather long name", Tone::kPlain}, {"12", Tone::kFaint}});
  EXPECT_EQ(table.text({true, false, 15}),
            "N  NAME    SIZE\n"
            "7  a rat…    12\n");
  EXPECT_EQ(table.text({true, false, 14}),
            "N  NAME\n"
            "7  a rat…\n");
  EXPECT_EQ(table.text({true, false, 8}),
            "NAME\n"
            "a rat…\n");
}

TEST(TextTable, HasColoursOnlyWhereTheTerminalHas) {
  EXPECT_THAT(sample().text({true, true, 80}), HasSubstr("\x1b[32m1\x1b[0m"));
  EXPECT_EQ(sample().text({true, false, 80}).find('\x1b'), std::string::npos);
}

TEST(Figures, ReadWell) {
  EXPECT_EQ(time_text(0), "-");
  EXPECT_EQ(time_text(12), "12 ns");
  EXPECT_EQ(time_text(26400), "26.40 us");
  EXPECT_EQ(time_text(1.5e6), "1.500 ms");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(123), "123");
  EXPECT_EQ(age_text(0, 100), "-");
  EXPECT_EQ(age_text(100, 100 + 3 * 86400), "3 d");
  EXPECT_EQ(percent_text(0.0123), "1.2%");
}

TEST(Figures, AreReadBack) {
  EXPECT_EQ(*parse_duration("90d"), 90 * 86400);
  EXPECT_EQ(*parse_bytes("2G"), int64_t{2} << 30);
  EXPECT_EQ(*parse_bytes("512"), 512);
  for (const char* wrong : {"", "d", "90", "90x", "-1d", "99999999999999999999d"}) {
    EXPECT_FALSE(parse_duration(wrong).ok()) << wrong;
  }
  EXPECT_THAT(parse_bytes("2T"), FailsWith(StatusCode::kInvalidArgument, HasSubstr("10M")));
}

}  // namespace
}  // namespace triode::cache_tool
