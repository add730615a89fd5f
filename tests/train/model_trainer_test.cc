// SPDX-License-Identifier: Apache-2.0
#include "learner/train/model_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "learner/model/cost_model.h"
#include "learner/model/feature_table.h"
#include "learner/train/choice_judge.h"
#include "learner/train/model_card.h"
#include "learner/train/online_judge.h"
#include "learner/train/online_prior.h"
#include "tests/train/generated_timings.h"

namespace triode::train {
namespace {

ModelRecipe quick_recipe() {
  ModelRecipe recipe = ModelRecipe::standard(0, 1);
  recipe.rank.members = 2;
  recipe.rank.hidden = {16, 16};
  recipe.student.hidden = {16};
  recipe.level.hidden = {16};
  for (NetRecipe* net : {&recipe.rank, &recipe.student, &recipe.level, &recipe.vendor}) {
    net->epochs = 20;
    net->batch = 8;
    net->learning_rate = 1e-2;
  }
  return recipe;
}

Result<Snapshot> train_on(const std::vector<TimedProblem>& problems) {
  const FeatureMatrix matrix = TRIODE_TRY(extract_features(problems));
  std::vector<size_t> all(problems.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return train_model(problems, matrix, all, "test", quick_recipe(), nullptr);
}

// Trained once for all tests: they only look at it.
class ModelTrainer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    problems_ = generated_timings(48, 11);
    auto snapshot = train_on(problems_);
    ASSERT_TRUE(snapshot.ok()) << snapshot.status().message();
    snapshot_ = std::make_unique<Snapshot>(std::move(snapshot).take());
    auto model = CostModel::make(*snapshot_);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::make_shared<const CostModel>(std::move(model).take());
  }
  static void TearDownTestSuite() {
    snapshot_.reset();
    model_.reset();
    problems_.clear();
  }

  static double regret(const std::vector<TimedProblem>& problems) {
    std::vector<size_t> all(problems.size());
    std::iota(all.begin(), all.end(), size_t{0});
    std::vector<Judgement> judgements;
    const std::vector<size_t> ks = {1};
    EXPECT_TRUE(judge_choices(problems, all, rank_by(*model_), ks, 0, judgements).ok());
    return summarize(judgements, 0, Against::kBestConfig, [](size_t) { return true; }).all.geomean;
  }

  static std::vector<TimedProblem> problems_;
  static std::unique_ptr<Snapshot> snapshot_;
  static std::shared_ptr<const CostModel> model_;
};
std::vector<TimedProblem> ModelTrainer::problems_;
std::unique_ptr<Snapshot> ModelTrainer::snapshot_;
std::shared_ptr<const CostModel> ModelTrainer::model_;

TEST_F(ModelTrainer, ChoosesWellOnShapesItHasNotSeen) {
  EXPECT_LT(regret(generated_timings(30, 99)), 1.1);  // blind choice of warps alone costs 1.4
}

TEST_F(ModelTrainer, PlainInferenceAgreesWithLibtorch) {
  const FeatureMatrix matrix = extract_features(problems_).value();
  for (size_t net = 0; net < snapshot_->nets.size(); ++net) {
    if (snapshot_->nets[net].role == NetRole::kVendor) continue;
    const TimedProblem& timed = problems_[5];
    std::vector<float> x;
    for (size_t row = matrix.first[5]; row < matrix.first[6]; ++row) {
      append_standardised(matrix, row, snapshot_->standardisation, snapshot_->nets[net].inputs, x);
    }
    const auto torch = evaluate_net(snapshot_->nets[net], snapshot_->nets[net].inputs.size(), x);
    const auto plain = model_->evaluate(timed.task(), timed.configs, net);
    ASSERT_TRUE(torch.ok() && plain.ok());
    for (size_t i = 0; i < torch->size(); ++i) {
      EXPECT_NEAR((*torch)[i], (*plain)[i], 1e-5 * std::max(1.0F, std::abs((*torch)[i])));
    }
  }
}

TEST_F(ModelTrainer, PredictsTheVendorsTime) {
  const TimedProblem& timed = problems_[3];
  const auto ranking = model_->rank(timed.task(), timed.configs);
  ASSERT_TRUE(ranking.ok() && ranking->vendor_s.has_value());
  EXPECT_NEAR(std::log(*ranking->vendor_s / *timed.vendor_s), 0, 0.7);
}

TEST_F(ModelTrainer, SnapshotSurvivesItsFile) {
  const auto read = read_snapshot(write_snapshot(*snapshot_));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, *snapshot_);
}

TEST_F(ModelTrainer, CardNamesDataAndRecipe) {
  const std::string card = model_card(*snapshot_, problems_, quick_recipe(), "# Title\n");
  EXPECT_TRUE(card.starts_with("# Title\n"));
  EXPECT_NE(card.find("| a100 | generated_mm |"), std::string::npos);
  EXPECT_NE(card.find(snapshot_->training_digest), std::string::npos);
}

// The same stream, learned from and not: on a device where other configs are fast than in training.
TEST_F(ModelTrainer, LearnsANewDeviceAsItsProblemsCome) {
  const std::vector<TimedProblem> elsewhere = generated_timings(60, 77, "h100", 4);
  std::vector<size_t> all(elsewhere.size());
  std::iota(all.begin(), all.end(), size_t{0});
  double ends[2];
  for (const bool learns : {false, true}) {
    StreamOptions options;
    options.learns = learns;
    const auto choices = stream(elsewhere, all, model_, options);
    ASSERT_TRUE(choices.ok()) << choices.status().message();
    double sum = 0;
    for (size_t i = 40; i < 60; ++i) sum += std::log((*choices)[i].first);
    ends[learns ? 1 : 0] = std::exp(sum / 20);
  }
  EXPECT_LT(ends[1], ends[0]);
}

// Timing every config tenfold tells nothing new of the problem, so it may not make the prior ten
// times as sure: the timings of a new problem would count for nothing.
TEST_F(ModelTrainer, PriorIsNoSurerOfProblemsWithManyConfigs) {
  std::vector<TimedProblem> large = problems_;
  for (TimedProblem& timed : large) {
    const std::vector<Config> configs = timed.configs;
    const std::vector<double> seconds = timed.seconds;
    for (int i = 1; i < 10; ++i) {
      timed.configs.insert(timed.configs.end(), configs.begin(), configs.end());
      timed.seconds.insert(timed.seconds.end(), seconds.begin(), seconds.end());
    }
  }
  const auto small_prior = online_prior(*snapshot_, problems_, {});
  const auto large_prior = online_prior(*snapshot_, large, {});
  ASSERT_TRUE(small_prior.ok() && large_prior.ok());
  for (size_t i = 0; i < small_prior->size(); ++i) {
    const size_t at = i * small_prior->size() + i;
    EXPECT_GE(large_prior->covariance[at], 0.5 * small_prior->covariance[at]);
  }
}

// On a device of another mechanism a tf32 config without it may be three times as fast as all that
// have it, which is a peculiarity of the type: f16 configs that have it are no slower for that.
TEST_F(ModelTrainer, PriorTellsAMechanismFromWhatItDoesForOneType) {
  const OnlineState& online = snapshot_->online;
  const FeatureTable& table = feature_table(snapshot_->kind);
  const size_t net_basis = online.size() - online.features.size();
  const auto variance_of = [&](std::string_view name) {
    const auto feature = static_cast<uint16_t>(*table.position_of(name));
    const auto found = std::find(online.features.begin(), online.features.end(), feature);
    const auto at = net_basis + static_cast<size_t>(found - online.features.begin());
    return found == online.features.end() ? 0 : online.covariance[at * online.size() + at];
  };
  EXPECT_GT(variance_of("wg_tf32_mn_major"), 10 * variance_of("wg"));
  EXPECT_GT(variance_of("wg"), 0);
  EXPECT_GT(variance_of("time_compute"), 0);
}

TEST(ModelTraining, RefusesAnEmptyChoice) {
  const std::vector<TimedProblem> problems = generated_timings(2, 1);
  const FeatureMatrix matrix = extract_features(problems).value();
  const auto snapshot = train_model(problems, matrix, {}, "test", quick_recipe(), nullptr);
  ASSERT_FALSE(snapshot.ok());
  EXPECT_EQ(snapshot.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::train
