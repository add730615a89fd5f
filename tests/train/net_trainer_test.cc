// SPDX-License-Identifier: Apache-2.0
#include "learner/train/net_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"

namespace triode::train {
namespace {

// Lists of eight rows of two features; y of a row is |x0|, less its list's least.
TrainingLists bowls(size_t count) {
  TrainingLists lists;
  lists.features = 2;
  lists.length = 8;
  lists.first.push_back(0);
  Random random(4);
  for (size_t list = 0; list < count; ++list) {
    float least = 10;
    for (size_t place = 0; place < lists.length; ++place) {
      const auto x0 = static_cast<float>(4 * random.uniform() - 2);
      lists.x.insert(lists.x.end(), {x0, static_cast<float>(random.uniform())});
      lists.rows.push_back(static_cast<int32_t>(lists.y.size()));
      lists.y.push_back(std::abs(x0));
      least = std::min(least, std::abs(x0));
    }
    for (size_t row = lists.y.size() - lists.length; row < lists.y.size(); ++row) {
      lists.y[row] -= least;
    }
    lists.group.push_back(list);
    lists.first.push_back(lists.y.size());
  }
  return lists;
}

NetRecipe small_recipe() {
  NetRecipe recipe;
  recipe.hidden = {16};
  recipe.members = 2;
  recipe.epochs = 30;
  recipe.batch = 8;
  recipe.learning_rate = 2e-2;
  return recipe;
}

// Share of lists whose best row a net puts first.
double hits(const TrainingLists& lists, const Net& net) {
  const std::vector<float> scores = evaluate_net(net, lists.features, lists.x).value();
  double found = 0;
  for (size_t problem = 0; problem + 1 < lists.first.size(); ++problem) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(lists.first[problem]);
    const auto end = scores.begin() + static_cast<std::ptrdiff_t>(lists.first[problem + 1]);
    const auto best = static_cast<size_t>(std::min_element(begin, end) - scores.begin());
    if (lists.y[best] == 0) found += 1;
  }
  return found / static_cast<double>(lists.list_count());
}

TEST(NetTrainer, LearnsWhichRowOfAListIsBest) {
  const TrainingLists lists = bowls(60);
  const auto nets = train_nets(lists, small_recipe(), nullptr);
  ASSERT_TRUE(nets.ok());
  ASSERT_EQ(nets->size(), 2u);
  EXPECT_GT(hits(lists, nets->front()), 0.7);
}

TEST(NetTrainer, GivesTheSameNetsForTheSameSeedAndOthersForAnother) {
  const TrainingLists lists = bowls(20);
  NetRecipe recipe = small_recipe();
  recipe.epochs = 5;
  const auto once = train_nets(lists, recipe, nullptr);
  const auto again = train_nets(lists, recipe, nullptr);
  recipe.seed = 1;
  const auto other = train_nets(lists, recipe, nullptr);
  EXPECT_EQ(once.value(), again.value());
  EXPECT_NE(once.value(), other.value());
}

// Mean squared error of a net on the lists that the first member holds out.
double held_out_error(const TrainingLists& lists, const Net& net, int32_t parts) {
  const std::vector<float> says = evaluate_net(net, lists.features, lists.x).value();
  double sum = 0;
  double count = 0;
  for (size_t list = 0; list < lists.list_count(); ++list) {
    if (Random(lists.group[list]).below(static_cast<uint64_t>(parts)) != 0) continue;
    for (size_t row = lists.first[list]; row < lists.first[list + 1]; ++row) {
      sum += std::pow(says[row] - lists.y[row], 2);
      count += 1;
    }
  }
  return sum / count;
}

TEST(NetTrainer, KeepsTheWeightsThatPredictedTheHeldOutPartBest) {
  const TrainingLists lists = bowls(40);
  NetRecipe recipe = small_recipe();
  recipe.objective = Objective::kSquaredError;
  recipe.members = 1;
  recipe.learning_rate = 0.5;  // jumps about, so that the last weights are seldom the best
  double best = INFINITY;
  const auto nets = train_nets(lists, recipe, [&](const TrainingProgress& progress) {
    best = std::min(best, progress.held_out_loss);
    return true;
  });
  ASSERT_TRUE(nets.ok());
  EXPECT_NEAR(held_out_error(lists, nets->front(), recipe.held_out_parts), best, 1e-3 * best);
}

TEST(NetTrainer, EndsWhenItsPatienceIsOverWithTheBestWeights) {
  const TrainingLists lists = bowls(40);
  NetRecipe recipe = small_recipe();
  recipe.objective = Objective::kSquaredError;
  recipe.members = 1;
  recipe.learning_rate = 0.5;
  recipe.epochs = 200;
  recipe.patience = 6;
  std::vector<double> losses;
  const auto nets = train_nets(lists, recipe, [&](const TrainingProgress& progress) {
    losses.push_back(progress.held_out_loss);
    return true;
  });
  ASSERT_TRUE(nets.ok());
  const auto best = std::min_element(losses.begin(), losses.end());
  EXPECT_LT(losses.size(), 200u);
  EXPECT_EQ(losses.end() - best - 1, recipe.patience);
  EXPECT_NEAR(held_out_error(lists, nets->front(), recipe.held_out_parts), *best, 1e-3 * *best);
  recipe.patience = -1;
  EXPECT_EQ(train_nets(lists, recipe, nullptr).status().code(), StatusCode::kInvalidArgument);
}

// Ten groups fall into ten of ten thousand parts, none of which is a member's.
NetRecipe recipe_without_held_out_lists() {
  NetRecipe recipe = small_recipe();
  recipe.objective = Objective::kSquaredError;
  recipe.held_out_parts = 10'000;
  return recipe;
}

TEST(NetTrainer, KeepsTheLastWeightsWhereNothingIsHeldOut) {
  const TrainingLists lists = bowls(10);
  NetRecipe recipe = recipe_without_held_out_lists();
  recipe.batch = 10;  // one step an epoch, whose loss is that of the weights before it
  recipe.epochs = 100;
  double before_last_step = 0;
  const auto nets = train_nets(lists, recipe, [&](const TrainingProgress& progress) {
    before_last_step = progress.training_loss;
    return true;
  });
  ASSERT_TRUE(nets.ok());
  double sum = 0;
  for (const Net& net : *nets) {
    const std::vector<float> says = evaluate_net(net, lists.features, lists.x).value();
    for (size_t row = 0; row < says.size(); ++row) sum += std::pow(says[row] - lists.y[row], 2);
  }
  const double error = sum / static_cast<double>(nets->size() * lists.y.size());
  EXPECT_NEAR(error, before_last_step, 1e-3 * before_last_step);
}

TEST(NetTrainer, IsNotImpatientWhereNothingIsHeldOut) {
  const TrainingLists lists = bowls(10);
  NetRecipe recipe = recipe_without_held_out_lists();
  const auto patient = train_nets(lists, recipe, nullptr);
  recipe.patience = 1;
  EXPECT_EQ(train_nets(lists, recipe, nullptr).value(), patient.value());
}

TEST(NetTrainer, LearnsAProbability) {
  TrainingLists lists = bowls(40);
  for (size_t row = 0; row < lists.y.size(); ++row) lists.y[row] = lists.x[row * 2] > 0 ? 1 : 0;
  NetRecipe recipe = small_recipe();
  recipe.objective = Objective::kLogistic;
  const auto nets = train_nets(lists, recipe, nullptr);
  ASSERT_TRUE(nets.ok());
  const auto logits = evaluate_net(nets->front(), 2, {1.5F, 0.5F, -1.5F, 0.5F});
  EXPECT_GT(logits.value()[0], 1);
  EXPECT_LT(logits.value()[1], -1);
}

TEST(NetTrainer, StopsWhenAsked) {
  const auto nets =
      train_nets(bowls(10), small_recipe(), [](const TrainingProgress&) { return false; });
  ASSERT_FALSE(nets.ok());
  EXPECT_EQ(nets.status().code(), StatusCode::kUnavailable);
}

TEST(NetTrainer, RefusesListsThatDoNotFit) {
  TrainingLists lists = bowls(10);
  lists.group.pop_back();
  const auto nets = train_nets(lists, small_recipe(), nullptr);
  ASSERT_FALSE(nets.ok());
  EXPECT_EQ(nets.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::train
