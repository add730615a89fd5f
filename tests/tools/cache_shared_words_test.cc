// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/shared_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace triode::cache_tool {
namespace {

using ::testing::ElementsAre;

TEST(SharedWords, StandApartFromWhatIsEachOnesOwn) {
  const std::vector<std::string> texts = {"triton m=64 n=32 warps=4", "triton m=16 n=32 warps=4"};
  const SharedWords words = share_words(texts);
  EXPECT_EQ(words.shared, "triton n=32 warps=4");
  EXPECT_THAT(words.rest, ElementsAre("m=64", "m=16"));
}

TEST(SharedWords, LeaveATextWholeThatHasNothingElse) {
  const std::vector<std::string> texts = {"a b", "a b c"};
  const SharedWords words = share_words(texts);
  EXPECT_EQ(words.shared, "a b");
  EXPECT_THAT(words.rest, ElementsAre("a b", "c"));
}

TEST(SharedWords, OfNothingAreNone) {
  EXPECT_EQ(share_words({}).shared, "");
  EXPECT_TRUE(share_words({}).rest.empty());
}

}  // namespace
}  // namespace triode::cache_tool
