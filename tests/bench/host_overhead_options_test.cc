// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<HostOverheadOptions> parse(const std::vector<std::string>& arguments) {
  return parse_host_overhead_options(arguments);
}

auto is_refused(const char* text) {
  return FailsWith(StatusCode::kInvalidArgument, HasSubstr(text));
}

TEST(HostOverheadOptions, DefaultsToOneThreadAndAllMeasurements) {
  const HostOverheadOptions options = parse({}).take();
  EXPECT_THAT(options.threads, ElementsAre(1));
  EXPECT_GE(options.start_rounds, 15);
  EXPECT_GT(options.counted_calls, 0);
  EXPECT_EQ(options.library, "");
}

TEST(HostOverheadOptions, ReadsThreads) {
  EXPECT_THAT(parse({"--threads", "2"}).take().threads, ElementsAre(2));
  EXPECT_THAT(parse({"--threads", "both"}).take().threads, ElementsAre(1, 2));
  EXPECT_THAT(parse({"--threads", "3"}), is_refused("both"));
}

TEST(HostOverheadOptions, ReadsWhatToLeaveOut) {
  const HostOverheadOptions options = parse({"--counted-calls", "0", "--start-rounds=0"}).take();
  EXPECT_EQ(options.counted_calls, 0);
  EXPECT_EQ(options.start_rounds, 0);
}

TEST(HostOverheadOptions, RefusesNumbersOutOfRange) {
  EXPECT_THAT(parse({"--rounds", "2"}), is_refused("--rounds"));
  EXPECT_THAT(parse({"--budget", "0"}), is_refused("--budget"));
  EXPECT_THAT(parse({"--start-rounds", "-1"}), is_refused("--start-rounds"));
  EXPECT_THAT(parse({"--counted-calls", "x"}), is_refused("--counted-calls"));
}

TEST(HostOverheadOptions, RefusesUnknownOptionsAndWords) {
  EXPECT_THAT(parse({"--frobnicate"}), is_refused("--frobnicate"));
  EXPECT_THAT(parse({"extra"}), is_refused("extra"));
}

}  // namespace
}  // namespace triode::bench
