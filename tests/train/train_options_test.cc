// SPDX-License-Identifier: Apache-2.0
#include "tools/train/train_options.h"

#include <gtest/gtest.h>

namespace triode::train_tool {
namespace {

TEST(TrainOptions, TakeSeveralFiles) {
  const auto options =
      parse_train_options({"--data", "a.csv", "b.csv.gz", "--output", "out", "--epochs", "3"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->data, (std::vector<std::string>{"a.csv", "b.csv.gz"}));
  EXPECT_EQ(options->epochs, 3);
}

TEST(TrainOptions, WantDataAndOutput) {
  EXPECT_EQ(parse_train_options({"--output", "out"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_train_options({"--data", "a.csv"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_train_options({"--data", "a", "--output", "o", "--epochs", "0"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(parse_train_options({"--help"}).ok());
}

TEST(TrainOptions, HelpNamesThem) {
  for (const char* option : {"--data", "--output", "--except-shapes-of", "--members", "--epochs",
                             "--threads", "--seed", "--card", "--name", "--json", "--quiet"}) {
    EXPECT_NE(help_text().find(option), std::string_view::npos) << option;
  }
}

}  // namespace
}  // namespace triode::train_tool
