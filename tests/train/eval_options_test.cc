// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/eval_options.h"

#include <gtest/gtest.h>

namespace triode::eval_tool {
namespace {

TEST(EvalOptions, SortTheNumbersOfChoices) {
  const auto options = parse_eval_options({"--data", "a.csv", "--k", "8,1,3", "--split", "shift"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->ks, (std::vector<size_t>{1, 3, 8}));
  EXPECT_EQ(options->split, SplitKind::kShift);
  EXPECT_EQ(options->model, "gpu");
}

TEST(EvalOptions, RefuseUnknownWords) {
  EXPECT_EQ(parse_eval_options({"--data", "a", "--split", "odd"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_eval_options({"--data", "a", "--policy", "odd"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_eval_options({}).status().code(), StatusCode::kInvalidArgument);
}

TEST(EvalOptions, HelpNamesThem) {
  for (const char* option : {"--data", "--model", "--split", "--folds", "--k", "--online",
                             "--timings", "--batch", "--orders", "--slow", "--policy", "--json"}) {
    EXPECT_NE(help_text().find(option), std::string_view::npos) << option;
  }
}

TEST(EvalOptions, HoldOutIsOfAModelThatWasTrainedBefore) {
  EXPECT_EQ(parse_eval_options({"--data", "a", "--hold-out", "5"})->hold_out, 5u);
  EXPECT_EQ(
      parse_eval_options({"--data", "a", "--hold-out", "5", "--split", "grouped"}).status().code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::eval_tool
