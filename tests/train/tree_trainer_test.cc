// SPDX-License-Identifier: Apache-2.0
#include "learner/train/tree_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"
#include "learner/model/block_kernels.h"
#include "tests/core/status_matchers.h"

namespace triode::train {
namespace {

using ::testing::HasSubstr;

constexpr size_t kLength = 8;

// Which config is fast depends on the problem: y is 0.3 |config - problem| less the least of it. A
// third feature is noise.
TrainingLists drawn_lists(size_t count, uint64_t seed) {
  Random random(seed);
  TrainingLists lists;
  lists.features = 3;
  lists.length = kLength;
  lists.first.push_back(0);
  for (size_t list = 0; list < count; ++list) {
    const auto problem = static_cast<float>(random.below(4));
    std::vector<float> y;
    for (size_t place = 0; place < kLength; ++place) {
      const auto config = static_cast<float>(place) / 2;
      lists.x.insert(lists.x.end(), {problem, config, static_cast<float>(random.uniform())});
      lists.rows.push_back(static_cast<int32_t>(lists.y.size() + y.size()));
      y.push_back(0.3f * std::abs(config - problem));
    }
    const float least = *std::min_element(y.begin(), y.end());
    for (const float value : y) lists.y.push_back(value - least);
    lists.group.push_back(list);
    lists.first.push_back(lists.y.size());
  }
  return lists;
}

TreeRecipe quick_recipe() {
  TreeRecipe recipe;
  recipe.trees = 60;
  recipe.depth = 4;
  recipe.feature_share = 1;
  return recipe;
}

std::vector<double> values(const TreeEnsemble& trees, const TrainingLists& lists) {
  std::vector<double> sums(lists.y.size(), 0);
  std::vector<float> columns(lists.features * kBlockColumns);
  for (size_t row = 0; row < sums.size(); ++row) {
    for (size_t f = 0; f < lists.features; ++f) {
      columns[f * kBlockColumns] = lists.x[row * lists.features + f];
    }
    add_tree_values(trees, {{}, columns.data()}, 1, &sums[row]);
  }
  return sums;
}

// Mean y of what the trees like best.
double mean_choice(const TreeEnsemble& trees, const TrainingLists& lists) {
  const std::vector<double> sums = values(trees, lists);
  double total = 0;
  for (size_t list = 0; list < lists.list_count(); ++list) {
    const auto first = sums.begin() + static_cast<std::ptrdiff_t>(list * kLength);
    total += lists.y[static_cast<size_t>(std::min_element(first, first + kLength) - sums.begin())];
  }
  return total / static_cast<double>(lists.list_count());
}

TEST(TreeTrainer, LearnsWhichConfigSuitsWhichProblem) {
  const auto trees = train_trees(drawn_lists(200, 1), quick_recipe(), nullptr);
  ASSERT_TRUE(trees.ok()) << trees.status().message();
  EXPECT_EQ(trees->tree_count(), 60u);
  EXPECT_TRUE(trees->validate(3).ok());
  EXPECT_LT(mean_choice(*trees, drawn_lists(50, 2)), 0.01);  // the best fixed config: 0.3
}

TEST(TreeTrainer, SpeaksInLogTime) {
  const TrainingLists lists = drawn_lists(200, 1);
  const auto trees = train_trees(lists, quick_recipe(), nullptr);
  ASSERT_TRUE(trees.ok());
  const std::vector<double> sums = values(*trees, lists);
  double product = 0;
  double square = 0;
  for (size_t problem = 0; problem + 1 < lists.first.size(); ++problem) {
    double mean = 0;
    for (size_t i = 0; i < kLength; ++i) mean += sums[lists.first[problem] + i] / kLength;
    for (size_t i = 0; i < kLength; ++i) {
      const size_t row = lists.first[problem] + i;
      product += (sums[row] - mean) * lists.y[row];
      square += (sums[row] - mean) * (sums[row] - mean);
    }
  }
  EXPECT_NEAR(product / square, 1, 1e-3);
}

TEST(TreeTrainer, GrowsTheSameTreesFromTheSameSeed) {
  const TrainingLists lists = drawn_lists(40, 3);
  TreeRecipe recipe = quick_recipe();
  recipe.feature_share = 0.7;
  const auto once = train_trees(lists, recipe, nullptr);
  const auto again = train_trees(lists, recipe, nullptr);
  recipe.seed = 1;
  const auto other = train_trees(lists, recipe, nullptr);
  ASSERT_TRUE(once.ok() && again.ok() && other.ok());
  EXPECT_EQ(*once, *again);
  EXPECT_FALSE(*once == *other);
}

TEST(TreeTrainer, LeavesOutEmptyPlaces) {
  TrainingLists lists = drawn_lists(40, 3);
  for (size_t list = 0; list < lists.list_count(); ++list) lists.rows[list * kLength + 7] = -1;
  EXPECT_TRUE(train_trees(lists, quick_recipe(), nullptr).ok());
}

TEST(TreeTrainer, StopsWhenAsked) {
  EXPECT_THAT(train_trees(drawn_lists(10, 1), quick_recipe(),
                          [](const TrainingProgress& state) { return state.epoch < 3; }),
              FailsWith(StatusCode::kUnavailable, HasSubstr("stopped")));
}

TEST(TreeTrainer, RefusesWhatItCannotGrow) {
  EXPECT_THAT(train_trees(TrainingLists{}, quick_recipe(), nullptr),
              FailsWith(StatusCode::kInvalidArgument, HasSubstr("nothing")));
  TreeRecipe deep = quick_recipe();
  deep.depth = kMaxTreeDepth + 1;
  TreeRecipe fine = quick_recipe();
  fine.bins = 1000;
  TreeRecipe none = quick_recipe();
  none.trees = 0;
  for (const TreeRecipe& recipe : {deep, fine, none}) {
    EXPECT_THAT(train_trees(drawn_lists(10, 1), recipe, nullptr),
                FailsWith(StatusCode::kInvalidArgument, HasSubstr("recipe")));
  }
}

}  // namespace
}  // namespace triode::train
