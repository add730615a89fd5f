// SPDX-License-Identifier: Apache-2.0
#include "core/enum_names.h"

#include <gtest/gtest.h>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

enum class Fruit { kApple, kPear };
constexpr EnumNames<Fruit, 2> kFruits = {"a fruit", {"apple", "pear"}};

TEST(EnumNames, NamesEachValue) {
  EXPECT_EQ(kFruits.name_of(Fruit::kApple), "apple");
  EXPECT_EQ(kFruits.name_of(Fruit::kPear), "pear");
}

TEST(EnumNames, DamagedValuePrintsAsQuestionMark) {
  EXPECT_EQ(kFruits.name_of(static_cast<Fruit>(2)), "?");
  EXPECT_EQ(kFruits.name_of(static_cast<Fruit>(-1)), "?");
}

TEST(EnumNames, ParsesEachName) {
  EXPECT_EQ(kFruits.parse("apple").value(), Fruit::kApple);
  EXPECT_EQ(kFruits.parse("pear").value(), Fruit::kPear);
}

TEST(EnumNames, UnknownNameListsWhatIsAccepted) {
  EXPECT_THAT(
      kFruits.parse("peach"),
      FailsWith(StatusCode::kInvalidArgument, "\"peach\" is not a fruit; expected apple or pear"));
}

}  // namespace
}  // namespace triode
