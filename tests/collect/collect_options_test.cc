// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collect_options.h"

#include <gtest/gtest.h>

namespace triode::collect {
namespace {

TEST(CollectOptions, MeasuresAllShapesInBothTypesOnOneAndAllThreads) {
  const auto options = parse_collect_options({}, 4);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->set, "all");
  EXPECT_EQ(options->threads, (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(options->dtypes, (std::vector<DType>{DType::kF32, DType::kF64}));
  EXPECT_EQ(options->trial, std::chrono::milliseconds(20));
}

TEST(CollectOptions, TakesNoSetWhereShapesAreGiven) {
  const auto options = parse_collect_options({"--random", "7"}, 4);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->set, "");
}

TEST(CollectOptions, CountsOneCoreOnce) {
  EXPECT_EQ(parse_collect_options({}, 1)->threads, std::vector<int32_t>{1});
}

TEST(CollectOptions, RefusesLongTrialsMoreThreadsThanCoresAndOtherTypes) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--trial-ms", "21"}, {"--threads", "5"}, {"--dtype", "f16"}, {"--device", "gpu"}}) {
    EXPECT_EQ(parse_collect_options(wrong, 4).status().code(), StatusCode::kInvalidArgument)
        << wrong[0];
  }
}

}  // namespace
}  // namespace triode::collect
