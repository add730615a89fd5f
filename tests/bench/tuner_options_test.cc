// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<TunerBenchOptions> parse(const std::vector<std::string>& arguments) {
  return parse_tuner_options(arguments);
}

auto is_refused(const char* text) {
  return FailsWith(StatusCode::kInvalidArgument, HasSubstr(text));
}

TEST(TunerBenchOptions, DefaultsToAllPartsAndBothLibraries) {
  const TunerBenchOptions options = parse({}).take();
  EXPECT_EQ(options.shapes, 200u);
  EXPECT_EQ(options.parts.size(), 5u);
  EXPECT_THAT(options.vendors, ElementsAre("openblas", "openblas-new"));
  EXPECT_EQ(options.convergence_shapes, 20u);
}

TEST(TunerBenchOptions, ReadsNumbersPartsAndLibraries) {
  const TunerBenchOptions options =
      parse({"--shapes=7", "--seed", "5", "--parts", "pairs,programs", "--vendors", "openblas-new"})
          .take();
  EXPECT_EQ(options.shapes, 7u);
  EXPECT_EQ(options.seed, 5u);
  EXPECT_THAT(options.parts, ElementsAre("pairs", "programs"));
  EXPECT_THAT(options.vendors, ElementsAre("openblas-new"));
}

TEST(TunerBenchOptions, QuickIsSmallerButKeepsWhatIsAskedFor) {
  EXPECT_LT(parse({"--quick"}).take().shapes, 20u);
  EXPECT_LT(parse({"--quick"}).take().first_calls, 200u);
  EXPECT_EQ(parse({"--quick", "--shapes", "30"}).take().shapes, 30u);
}

TEST(TunerBenchOptions, RefusesWhatIsNotThere) {
  EXPECT_THAT(parse({"--shapes", "0"}), is_refused("--shapes"));
  EXPECT_THAT(parse({"--rounds", "5"}), is_refused("--rounds"));
  EXPECT_THAT(parse({"--parts", "pears"}), is_refused("pears"));
  EXPECT_THAT(parse({"--vendors", "mkl"}), is_refused("mkl"));
  EXPECT_THAT(parse({"--frobnicate"}), is_refused("--frobnicate"));
  EXPECT_THAT(parse({"extra"}), is_refused("extra"));
}

}  // namespace
}  // namespace triode::bench
