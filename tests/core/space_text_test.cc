// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "core/space.h"
#include "tests/core/status_matchers.h"
#include "tests/core/text_mutation.h"

namespace triode {
namespace {

class SpaceText : public ::testing::Test {
 protected:
  SpaceText() {
    space_.add({"mr", {4, 6, 8}, {}});
    space_.add({"nr", {8, 16}, {}});
    space_.add_rule("the tile needs too many registers",
                    [](const Config& config) { return config[0] * config[1] <= 96; });
    space_.add({"edge", {0, 1, 2}, {"masked", "smaller", "balanced"}});
    space_.add({"shift", {-1, 0}, {}});
  }

  void expect_error(std::string_view text, const std::string& message) const {
    EXPECT_THAT(space_.parse(text), FailsWith(StatusCode::kInvalidArgument, message));
  }

  Space space_;
};

TEST_F(SpaceText, PrintsEveryParameterInOrderWithLabels) {
  EXPECT_EQ(space_.to_string(space_.at(0)), "mr=4 nr=8 edge=masked shift=-1");
  EXPECT_EQ(space_.to_string(space_.at(17)), "mr=6 nr=8 edge=balanced shift=0");
}

TEST_F(SpaceText, PrintsAValueThatIsNotListedAsItsNumber) {
  Config config = space_.at(0);
  config[2] = 9;
  EXPECT_EQ(space_.to_string(config), "mr=4 nr=8 edge=9 shift=-1");
}

TEST_F(SpaceText, EveryLegalConfigRoundTrips) {
  int visits = 0;
  space_.for_each([&](const Config& config) {
    ++visits;
    EXPECT_EQ(space_.parse(space_.to_string(config)).value(), config);
    return true;
  });
  EXPECT_EQ(visits, 30);
}

TEST_F(SpaceText, ParsesInAnyOrder) {
  EXPECT_EQ(space_.parse(" shift=0 edge=balanced\tnr=8  mr=6 ").value(), space_.at(17));
}

TEST_F(SpaceText, SpaceWithoutParametersReadsTheEmptyText) {
  EXPECT_EQ(Space().parse("").value(), Config());
  EXPECT_THAT(Space().parse("mr=4"),
              FailsWith(StatusCode::kInvalidArgument,
                        "config text, column 1: \"mr\" is not a parameter; expected nothing"));
}

TEST_F(SpaceText, UnknownParameter) {
  expect_error("mr=6 kr=3",
               "config text, column 6: \"kr\" is not a parameter; expected mr, nr, edge or shift");
}

TEST_F(SpaceText, UnknownValuePointsAtTheValue) {
  expect_error("mr=6 nr=12",
               "config text, column 9: \"12\" is not a value of nr; expected 8 or 16");
  expect_error("mr=06", "config text, column 4: \"06\" is not a value of mr; expected 4, 6 or 8");
  expect_error("mr=", "config text, column 4: \"\" is not a value of mr; expected 4, 6 or 8");
}

TEST_F(SpaceText, NumberInsteadOfALabel) {
  expect_error("edge=0",
               "config text, column 6: \"0\" is not a value of edge; expected masked, smaller or "
               "balanced");
}

TEST_F(SpaceText, ParameterWithoutAValue) {
  expect_error("nr=8 mr", "config text, column 6: \"mr\" has no value; expected mr= and 4, 6 or 8");
}

TEST_F(SpaceText, ParameterGivenTwice) {
  expect_error("mr=6 nr=8 mr=6",
               "config text, column 11: \"mr=6\" sets mr again; expected each parameter once");
}

TEST_F(SpaceText, ParameterLeftOut) {
  expect_error("mr=6 edge=masked shift=0 ",
               "config text, column 25: the text ends without nr; expected nr= and 8 or 16");
  expect_error("", "config text, column 1: the text ends without mr; expected mr= and 4, 6 or 8");
}

TEST_F(SpaceText, IllegalConfigGivesTheRulesReason) {
  expect_error("mr=8 nr=16 edge=masked shift=0",
               "config text: illegal config: the tile needs too many registers");
}

TEST_F(SpaceText, MutatedTextsParseToLegalConfigsOrGiveAnError) {
  Random random(1);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutated(space_.to_string(space_.sample(random).value()), random);
    const Result<Config> parsed = space_.parse(text);
    if (!parsed.ok()) {
      ASSERT_THAT(parsed,
                  FailsWith(StatusCode::kInvalidArgument, ::testing::StartsWith("config text")));
      continue;
    }
    ++accepted;
    ASSERT_TRUE(space_.is_legal(*parsed)) << text;
    ASSERT_EQ(space_.parse(space_.to_string(*parsed)).value(), *parsed) << text;
  }
  // Both branches were taken, or the test says nothing.
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 19000);
}

}  // namespace
}  // namespace triode
