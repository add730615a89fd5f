// SPDX-License-Identifier: Apache-2.0
#include "core/crc32.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace triode {
namespace {

TEST(Crc32, GivesTheCheckValueOfItsStandard) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
}

TEST(Crc32, OfNothingIsZero) {
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Crc32, CountsBytesAboveAsciiAndZeros) {
  EXPECT_EQ(crc32(std::string_view("\x00", 1)), 0xD202EF8Du);
  EXPECT_EQ(crc32(std::string_view("\xFF\xFF\xFF\xFF", 4)), 0xFFFFFFFFu);
}

TEST(Crc32, GoesOnFromWhatStandsAhead) {
  const std::string_view text = "The quick brown fox jumps over the lazy dog";
  for (size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(crc32(text.substr(i), crc32(text.substr(0, i))), 0x414FA339u) << "after " << i;
  }
}

TEST(Crc32, ChangesWithEveryBit) {
  const std::string text = "triode-plans";
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(crc32(changed), crc32(text)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace triode
