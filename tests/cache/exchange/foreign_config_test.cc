// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/foreign_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/core/status_matchers.h"

namespace triode::exchange {
namespace {

using ::testing::HasSubstr;

ForeignConfig sample() {
  ForeignConfig config;
  config.family = "triton";
  config.set("num_warps", int64_t{4});
  config.set("block_m", int64_t{-64});
  config.set("ACC_TYPE", std::string("tl.float32"));
  config.set("EVEN_K", true);
  config.set("none", std::monostate{});
  config.set("ratio", 0.5);
  config.set("text", std::string("a \"b\" = c"));
  config.set("number", std::string("12"));
  config.set("word", std::string("true"));
  return config;
}

TEST(ForeignConfig, PrintsParametersInOrderOfTheirNames) {
  EXPECT_EQ(to_string(sample()),
            "triton ACC_TYPE=tl.float32 EVEN_K=true block_m=-64 none=null num_warps=4 "
            "number=\"12\" ratio=0.5 text=\"a \\\"b\\\" = c\" word=\"true\"");
}

TEST(ForeignConfig, ReadsWhatItPrints) {
  const Result<ForeignConfig> config = parse_foreign_config(to_string(sample()));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(*config, sample());
}

TEST(ForeignConfig, ReadsTheConfigOfASpaceOfOurs) {
  const Result<ForeignConfig> config = parse_foreign_config("mr=6 nr=16 pack=b");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->family, "");
  EXPECT_EQ(config->number_or("nr", 0), 16);
  EXPECT_EQ(to_string(*config), "mr=6 nr=16 pack=b");
}

TEST(ForeignConfig, RefusesOtherTexts) {
  for (const char* text :
       {"a b", "a=1 a=2", "a= b=1", "=1", "a=[1]", "a=\"b", "a=1  b=2", "a=1e999"}) {
    EXPECT_FALSE(parse_foreign_config(text).ok()) << text;
  }
  EXPECT_THAT(parse_foreign_config("a=1 b"),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("\"b\" is no parameter")));
}

}  // namespace
}  // namespace triode::exchange
