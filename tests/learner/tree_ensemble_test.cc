// SPDX-License-Identifier: Apache-2.0
#include "learner/model/tree_ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"
#include "learner/model/block_kernels.h"
#include "learner/model/tree_kernels.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

// Two trees of two questions over one feature of the problem (0) and two of the config (1, 2).
TreeEnsemble two_trees() {
  TreeEnsemble trees;
  trees.depth = 2;
  trees.share = 0.5f;
  trees.feature = {1, 0, 2, 1};
  trees.threshold = {0.5f, -1.0f, 2.0f, 0.0f};
  trees.leaf = {1, 2, 3, 4, 10, 20, 30, 40};
  return trees;
}

TEST(TreeEnsemble, AddsTheLeafThatTheAnswersNumber) {
  const std::vector<float> problem = {0.0f};  // above -1: the first tree's second answer is yes
  std::vector<float> varying(2 * kBlockColumns, 0.0f);
  varying[0] = 1.0f;                  // feature 1 of the first config
  varying[kBlockColumns] = 3.0f;      // feature 2 of the first config
  varying[kBlockColumns + 1] = 3.0f;  // feature 2 of the second config
  double sums[3] = {100, 0, 0};
  add_tree_values(two_trees(), {problem, varying.data()}, 3, sums);
  EXPECT_DOUBLE_EQ(sums[0], 100 + 4 + 40);
  EXPECT_DOUBLE_EQ(sums[1], 3 + 20);
  EXPECT_DOUBLE_EQ(sums[2], 3 + 10);
}

TEST(TreeEnsemble, ThatEqualsItsThresholdIsNotAbove) {
  const std::vector<float> problem = {-1.0f};
  std::vector<float> varying(2 * kBlockColumns, 0.0f);
  double sum = 0;
  add_tree_values(two_trees(), {problem, varying.data()}, 1, &sum);
  EXPECT_DOUBLE_EQ(sum, 1 + 10);
}

// Trees over four features of the problem and six of the config.
TreeEnsemble drawn_trees(int32_t depth, size_t count) {
  Random random(static_cast<uint64_t>(depth));
  TreeEnsemble trees;
  trees.depth = depth;
  trees.share = 1;
  for (size_t i = 0; i < count * static_cast<size_t>(depth); ++i) {
    trees.feature.push_back(static_cast<uint16_t>(random.below(10)));
    trees.threshold.push_back(static_cast<float>(random.uniform()));
  }
  for (size_t i = 0; i < count << depth; ++i) {
    trees.leaf.push_back(static_cast<float>(random.uniform()));
  }
  return trees;
}

class TreesOfDepth : public ::testing::TestWithParam<int32_t> {};

TEST_P(TreesOfDepth, HaveTheSameValueAtEveryWidth) {
  const TreeEnsemble trees = drawn_trees(GetParam(), 20);
  Random random(7);
  std::vector<float> problem(4), varying(6 * kBlockColumns);
  for (float& value : problem) value = static_cast<float>(random.uniform());
  for (float& value : varying) value = static_cast<float>(random.uniform());
  std::vector<float> plain(kBlockColumns, 0.0f);
  for (size_t tree = 0; tree < trees.tree_count(); ++tree) {
    for (size_t c = 0; c < kBlockColumns; ++c) {
      size_t place = 0;
      for (size_t level = 0; level < static_cast<size_t>(trees.depth); ++level) {
        const size_t question = tree * static_cast<size_t>(trees.depth) + level;
        const size_t f = trees.feature[question];
        const float value = f < 4 ? problem[f] : varying[(f - 4) * kBlockColumns + c];
        if (value > trees.threshold[question]) place += size_t{1} << level;
      }
      plain[c] += trees.leaf[(tree << trees.depth) + place];
    }
  }
  for (const TreeKernel& kernel : runnable_tree_kernels()) {
    std::vector<float> totals(kBlockColumns, 0.0f);
    kernel.add({trees.feature.data(), trees.threshold.data(), trees.leaf.data(), trees.depth,
                trees.tree_count(), problem.data(), problem.size(), varying.data(), kBlockColumns,
                totals.data()});
    EXPECT_EQ(totals, plain) << kernel.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, TreesOfDepth, ::testing::Values(1, 4, 5, 6, kMaxTreeDepth));

TEST(TreeEnsemble, IsValidWithoutTreesAndWithThese) {
  EXPECT_TRUE(TreeEnsemble{}.validate(3).ok());
  EXPECT_TRUE(two_trees().validate(3).ok());
}

TEST(TreeEnsemble, ThatAsksForAnUnknownFeatureIsRefused) {
  EXPECT_THAT(two_trees().validate(2),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("unknown feature")));
}

TEST(TreeEnsemble, WithPartsThatDoNotFitIsRefused) {
  TreeEnsemble few_leaves = two_trees();
  few_leaves.leaf.pop_back();
  TreeEnsemble half_a_tree = two_trees();
  half_a_tree.feature.pop_back();
  half_a_tree.threshold.pop_back();
  TreeEnsemble deep = two_trees();
  deep.depth = kMaxTreeDepth + 1;
  TreeEnsemble negative = two_trees();
  negative.depth = -1;
  for (const TreeEnsemble& trees : {few_leaves, half_a_tree, deep, negative}) {
    EXPECT_THAT(trees.validate(3), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  }
}

TEST(TreeEnsemble, WithNumbersThatCannotBeIsRefused) {
  TreeEnsemble leaf = two_trees();
  leaf.leaf[3] = NAN;
  TreeEnsemble threshold = two_trees();
  threshold.threshold[0] = INFINITY;
  TreeEnsemble share = two_trees();
  share.share = 1.5f;
  TreeEnsemble no_share = two_trees();
  no_share.share = NAN;
  for (const TreeEnsemble& trees : {leaf, threshold, share, no_share}) {
    EXPECT_THAT(trees.validate(3), FailsWith(StatusCode::kInvalidArgument, ::testing::_));
  }
}

}  // namespace
}  // namespace triode
