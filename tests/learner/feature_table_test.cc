// SPDX-License-Identifier: Apache-2.0
#include "learner/model/feature_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace triode {
namespace {

class FeatureTables : public ::testing::TestWithParam<DeviceKind> {};

TEST_P(FeatureTables, NameEachFeatureOnceWithFormulaAndUnit) {
  std::set<std::string_view> names;
  for (const FeatureDescription& feature : feature_table(GetParam()).features) {
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
    EXPECT_FALSE(feature.formula.empty()) << feature.name;
    EXPECT_FALSE(feature.unit.empty()) << feature.name;
  }
}

TEST_P(FeatureTables, HoldTheProblemsFeaturesFirst) {
  const FeatureTable& table = feature_table(GetParam());
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table.features[i].scope == FeatureScope::kProblem, i < table.problem_count);
  }
}

TEST_P(FeatureTables, PrintEveryFeature) {
  const FeatureTable& table = feature_table(GetParam());
  const std::string text = to_markdown(table);
  for (const FeatureDescription& feature : table.features) {
    EXPECT_NE(text.find("| " + std::string(feature.name) + " |"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FeatureTables,
                         ::testing::Values(DeviceKind::kCpu, DeviceKind::kGpu));

TEST(FeatureTable, DiffersInSchemaBetweenKinds) {
  EXPECT_NE(feature_table(DeviceKind::kCpu).schema_hash,
            feature_table(DeviceKind::kGpu).schema_hash);
}

TEST(FeatureTable, FindsAFeatureByName) {
  const FeatureTable& table = feature_table(DeviceKind::kGpu);
  EXPECT_EQ(table.features[*table.position_of("waves")].name, "waves");
  EXPECT_FALSE(table.position_of("wave"));
}

}  // namespace
}  // namespace triode
