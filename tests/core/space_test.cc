// SPDX-License-Identifier: Apache-2.0
#include "core/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace triode {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

Config config_of(std::initializer_list<int32_t> values) {
  Config config(values.size());
  size_t position = 0;
  for (const int32_t value : values) config[position++] = value;
  return config;
}

// mr, nr and unroll, where mr x nr may be at most 96 and unroll is 1 unless mr is 4: 9 legal of 18.
Space tile_space() {
  Space space;
  space.add({"mr", {4, 6, 8}, {}});
  space.add({"nr", {24, 16, 8}, {}});
  space.add_rule("the tile needs too many registers",
                 [](const Config& config) { return config[0] * config[1] <= 96; });
  space.add({"unroll", {1, 2}, {}});
  space.add_rule("unrolling a large tile overflows the instruction cache",
                 [](const Config& config) { return config[2] == 1 || config[0] == 4; });
  return space;
}

// As large as a Space can be: 24 parameters of 8 values, 2^72 configs.
Space huge_space() {
  Space space;
  for (size_t i = 0; i < Config::kMaxParameters; ++i) {
    space.add({"p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}, {}});
  }
  return space;
}

TEST(Space, AddGivesPositionsInOrder) {
  Space space;
  EXPECT_EQ(space.add({"mr", {4}, {}}), 0u);
  EXPECT_EQ(space.add({"nr", {8}, {}}), 1u);
  EXPECT_THAT(space.position_of("nr"), Optional(1u));
  EXPECT_EQ(space.position_of("kc"), std::nullopt);
  EXPECT_EQ(space.parameters()[1].name, "nr");
}

TEST(Space, ProductSizeCountsIllegalConfigsToo) {
  EXPECT_EQ(tile_space().product_size(), 18u);
}

TEST(Space, ProductSizeOutOfRangeSaturates) {
  EXPECT_EQ(huge_space().product_size(), UINT64_MAX);
}

TEST(Space, ProductSizeOfNoParametersIsOne) {
  EXPECT_EQ(Space().product_size(), 1u);
}

TEST(Space, IndexRunsFastestInTheLastParameter) {
  const Space space = tile_space();
  EXPECT_EQ(space.at(0), config_of({4, 24, 1}));
  EXPECT_EQ(space.at(1), config_of({4, 24, 2}));
  EXPECT_EQ(space.at(2), config_of({4, 16, 1}));
  EXPECT_EQ(space.at(17), config_of({8, 8, 2}));
}

TEST(Space, IndexAndConfigAreInverse) {
  const Space space = tile_space();
  for (uint64_t index = 0; index < space.product_size(); ++index) {
    EXPECT_EQ(space.index_of(space.at(index)), index);
  }
}

TEST(Space, IndexReaches64Bits) {
  Space space;
  for (size_t i = 0; i < 21; ++i)
    space.add({"p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}, {}});
  const uint64_t last = space.product_size() - 1;
  EXPECT_EQ(last, (uint64_t{1} << 63) - 1);
  EXPECT_EQ(space.index_of(space.at(last)), last);
  EXPECT_EQ(space.index_of(space.at(last / 3)), last / 3);
}

TEST(Space, WhyIllegalIsEmptyForALegalConfig) {
  EXPECT_EQ(tile_space().why_illegal(config_of({6, 16, 1})), std::nullopt);
  EXPECT_TRUE(tile_space().is_legal(config_of({6, 16, 1})));
}

TEST(Space, WhyIllegalGivesTheReasonOfTheFirstBrokenRule) {
  EXPECT_THAT(tile_space().why_illegal(config_of({8, 24, 2})),
              Optional(std::string("the tile needs too many registers")));
  EXPECT_THAT(tile_space().why_illegal(config_of({6, 16, 2})),
              Optional(std::string("unrolling a large tile overflows the instruction cache")));
  EXPECT_FALSE(tile_space().is_legal(config_of({6, 16, 2})));
}

TEST(Space, WhyIllegalNamesAValueThatIsNotListed) {
  EXPECT_THAT(tile_space().why_illegal(config_of({6, 17, 1})),
              Optional(std::string("nr=17 is not among its values")));
}

TEST(Space, WhyIllegalCountsTheValuesOfAConfigOfAnotherSpace) {
  EXPECT_THAT(tile_space().why_illegal(config_of({6, 16})),
              Optional(std::string("it has 2 values, and the space has 3 parameters")));
}

TEST(Space, EnumeratesLegalConfigsInIndexOrder) {
  EXPECT_THAT(tile_space().enumerate(),
              ElementsAre(config_of({4, 24, 1}), config_of({4, 24, 2}), config_of({4, 16, 1}),
                          config_of({4, 16, 2}), config_of({4, 8, 1}), config_of({4, 8, 2}),
                          config_of({6, 16, 1}), config_of({6, 8, 1}), config_of({8, 8, 1})));
}

TEST(Space, EnumeratesWhatIsLegalAndNothingElse) {
  const Space space = tile_space();
  std::vector<Config> expected;
  for (uint64_t index = 0; index < space.product_size(); ++index) {
    if (space.is_legal(space.at(index))) expected.push_back(space.at(index));
  }
  EXPECT_EQ(space.enumerate(), expected);
}

TEST(Space, EnumerateStopsAtTheLimit) {
  EXPECT_EQ(tile_space().enumerate(2).size(), 2u);
  EXPECT_EQ(tile_space().enumerate(0).size(), 0u);
  EXPECT_EQ(huge_space().enumerate(1000).size(), 1000u);
}

TEST(Space, ForEachStopsWhenTold) {
  int visits = 0;
  tile_space().for_each([&visits](const Config&) { return ++visits < 3; });
  EXPECT_EQ(visits, 3);
}

TEST(Space, CountsLegalConfigs) {
  EXPECT_EQ(tile_space().count_legal(), 9u);
}

TEST(Space, OfNoParametersHasOneConfig) {
  EXPECT_THAT(Space().enumerate(), ElementsAre(Config()));
  EXPECT_TRUE(Space().is_legal(Config()));
}

TEST(Space, RuleBeforeAnyParameterForbidsAll) {
  Space space;
  space.add_rule("nothing goes", [](const Config&) { return false; });
  space.add({"mr", {4, 6}, {}});
  EXPECT_EQ(space.count_legal(), 0u);
}

TEST(Space, RulePrunesBeforeLaterParametersAreSet) {
  // 2^72 configs, of which a rule on the first two parameters leaves none: without pruning this
  // test would not end.
  Space space;
  int asked = 0;
  space.add({"first", {0, 1, 2}, {}});
  space.add({"second", {0, 1, 2, 3}, {}});
  space.add_rule("never", [&asked](const Config&) {
    ++asked;
    return false;
  });
  for (size_t i = 2; i < Config::kMaxParameters; ++i) {
    space.add({"p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}, {}});
  }
  EXPECT_EQ(space.count_legal(), 0u);
  EXPECT_EQ(asked, 12);
}

TEST(Space, SampleReachesEveryLegalConfigAndNoOther) {
  const Space space = tile_space();
  Random random(1);
  std::set<Config> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(space.sample(random).value());
  const std::vector<Config> legal = space.enumerate();
  EXPECT_EQ(drawn, std::set<Config>(legal.begin(), legal.end()));
}

TEST(Space, SampleFindsTheOneLegalConfigOfALargeProduct) {
  Space space;
  for (size_t i = 0; i < Config::kMaxParameters; ++i) {
    space.add({"p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}, {}});
    space.add_rule("only 5", [i](const Config& config) { return config[i] == 5; });
  }
  Random random(1);
  EXPECT_EQ(space.sample(random, 1), space.enumerate().front());
}

TEST(Space, SampleRepeatsWithTheSeed) {
  const Space space = huge_space();
  Random one(9);
  Random other(9);
  EXPECT_EQ(space.sample(one), space.sample(other));
  EXPECT_NE(space.sample(one), std::nullopt);
}

TEST(Space, SampleGivesUpAfterItsAttempts) {
  Space space;
  int asked = 0;
  space.add({"mr", {4}, {}});
  space.add_rule("never", [&asked](const Config&) {
    ++asked;
    return false;
  });
  Random random(1);
  EXPECT_EQ(space.sample(random, 7), std::nullopt);
  EXPECT_EQ(asked, 7);
}

#ifndef NDEBUG
TEST(SpaceDeathTest, AddRefusesWhatBreaksItsContract) {
  Space space;
  space.add({"mr", {4}, {}});
  EXPECT_DEATH(space.add({"mr", {8}, {}}), "position_of");
  EXPECT_DEATH(space.add({"n r", {8}, {}}), "is_word");
  EXPECT_DEATH(space.add({"nr\n", {8}, {}}), "is_word");
  EXPECT_DEATH(space.add({"nr", {}, {}}), "empty");
  EXPECT_DEATH(space.add({"nr", {8, 8}, {}}), "are_distinct");
  EXPECT_DEATH(space.add({"nr", {8, 16}, {"one"}}), "labels");
  EXPECT_DEATH(space.add({"nr", {8, 16}, {"one", "one"}}), "are_distinct");
}

TEST(SpaceDeathTest, RuleThatReadsALaterParameterIsFound) {
  Space space;
  space.add({"mr", {4}, {}});
  space.add_rule("reads nr", [](const Config& config) { return config[1] == 0; });
  space.add({"nr", {8}, {}});
  EXPECT_DEATH(space.enumerate(), "added after it");
}
#endif

}  // namespace
}  // namespace triode
