// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/status_matchers.h"
#include "tools/cache/arguments.h"
#include "tools/cache/filter_options.h"

namespace triode::cache_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array<std::string_view, 1> kFlags = {"--json"};

Result<Arguments> parse(const std::vector<std::string>& words) {
  return Arguments::parse(words, kFilterOptions, kFlags);
}

TEST(CacheArguments, SortsOptionsFlagsAndWords) {
  const auto arguments = parse({"a", "--op", "mm", "--json", "--m=1..2", "--", "--k"});
  ASSERT_TRUE(arguments.ok()) << arguments.status().message();
  EXPECT_EQ(arguments->value("--op"), "mm");
  EXPECT_EQ(arguments->value("--m"), "1..2");
  EXPECT_TRUE(arguments->has("--json"));
  EXPECT_THAT(arguments->positionals(), ElementsAre("a", "--k"));
}

TEST(CacheArguments, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(parse({"--dtpye", "f32"}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("did you mean --dtype?")));
  EXPECT_THAT(parse({"--op"}), FailsWith(StatusCode::kInvalidArgument, HasSubstr("needs a value")));
  EXPECT_THAT(parse({"--json=1"}), FailsWith(StatusCode::kInvalidArgument, HasSubstr("--json")));
  EXPECT_THAT(parse({"--op", "mm", "--op", "mm"}),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("given twice")));
}

TEST(CacheFilter, ReadsSizesAsRanges) {
  const auto filter = read_filter(*parse({"--m", "64", "--n", "8..", "--k", "..9"}));
  ASSERT_TRUE(filter.ok()) << filter.status().message();
  EXPECT_EQ(filter->m, (SizeRange{64, 64}));
  EXPECT_EQ(filter->n.least, 8);
  EXPECT_EQ(filter->k, (SizeRange{0, 9}));
  for (const char* wrong : {"", "..", "x", "1..x", "5..4", "-1", "1...2"}) {
    EXPECT_FALSE(read_filter(*parse({"--m", wrong})).ok()) << wrong;
  }
}

TEST(CacheFilter, AsksTheSameOfARecordAtHand) {
  const TrialFilter filter =
      *read_filter(*parse({"--target", "h100", "--op", "mm", "--origin", "triode", "--m", "32"}));
  const auto has = [&](const char* device, const char* problem, const char* origin) {
    return matches(filter, device, problem, "", OutcomeKind::kOk, origin);
  };
  EXPECT_TRUE(has("NVIDIA H100||0|0|0|0", "mm f16 32x32x32 nn", ""));
  EXPECT_FALSE(has("NVIDIA A100||0|0|0|0", "mm f16 32x32x32 nn", ""));
  EXPECT_FALSE(has("NVIDIA H100||0|0|0|0", "mm f16 33x32x32 nn", ""));
  EXPECT_FALSE(has("NVIDIA H100||0|0|0|0", "bmm f16 2x32x32x32 nn", ""));
  EXPECT_FALSE(has("NVIDIA H100||0|0|0|0", "mm f16 32x32x32 nn", "vllm"));
}

}  // namespace
}  // namespace triode::cache_tool
