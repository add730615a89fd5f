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

TEST(TrainOptions, TakeDiodesWordsForTheRecipe) {
  const auto options = parse_train_options(
      {"--data",          "a.json",      "--output",       "out", "--batch-size", "16",
       "--learning-rate", "0.01",        "--weight-decay", "0",   "--hidden-dim", "32",
       "--num-layers",    "2",           "--patience",     "5",   "--hold-out",   "4",
       "--hardware-name", "NVIDIA H100", "--op-name",      "bmm"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->batch, 16);
  EXPECT_EQ(options->learning_rate, 0.01);
  EXPECT_EQ(options->weight_decay, 0);
  EXPECT_EQ(options->hidden_dim, 32);
  EXPECT_EQ(options->layers, 2);
  EXPECT_EQ(options->patience, 5);
  EXPECT_EQ(options->hold_out, 4u);
  EXPECT_EQ(options->hardware, "NVIDIA H100");
  EXPECT_EQ(options->op, "bmm");
  for (const char* wrong : {"--num-layers=8", "--patience=0", "--learning-rate=0", "--op-name=conv",
                            "--hold-out=1", "--weight-decay=-1"}) {
    EXPECT_FALSE(parse_train_options({"--data", "a", "--output", "o", wrong}).ok()) << wrong;
  }
}

TEST(TrainOptions, WantDataAndOutput) {
  EXPECT_EQ(parse_train_options({"--output", "out"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_train_options({"--data", "a.csv"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(parse_train_options({"--data", "a", "--output", "o", "--epochs", "0"}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(parse_train_options({"--help"}).ok());
}

TEST(TrainOptions, HelpNamesThem) {
  for (const char* option : {"--data",          "--output",        "--except-shapes-of",
                             "--members",       "--epochs",        "--threads",
                             "--seed",          "--card",          "--name",
                             "--json",          "--quiet",         "--batch-size",
                             "--learning-rate", "--weight-decay",  "--num-layers",
                             "--hidden-dim",    "--patience",      "--hold-out",
                             "--history",       "--hardware-name", "--op-name"}) {
    EXPECT_NE(help_text().find(option), std::string_view::npos) << option;
  }
}

}  // namespace
}  // namespace triode::train_tool
