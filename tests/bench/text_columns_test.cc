// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/text_columns.h"

#include <gtest/gtest.h>

namespace triode::bench {
namespace {

TEST(TextColumns, PadOnEitherSideAndNeverCut) {
  EXPECT_EQ(padded_left("ab", 4), "  ab");
  EXPECT_EQ(padded_right("ab", 4), "ab  ");
  EXPECT_EQ(padded_left("abcdef", 4), "abcdef");
}

TEST(TextColumns, CountCharactersNotBytes) {
  EXPECT_EQ(padded_left("±1", 4), "  ±1");
}

}  // namespace
}  // namespace triode::bench
