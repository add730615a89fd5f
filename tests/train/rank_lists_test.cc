// SPDX-License-Identifier: Apache-2.0
#include "learner/train/rank_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/train/generated_timings.h"

namespace triode::train {
namespace {

class RankLists : public testing::Test {
 protected:
  RankLists() : problems_(generated_timings(10, 3)) {
    problems_[0].seconds[1] = NAN;
    auto matrix = extract_features(problems_);
    EXPECT_TRUE(matrix.ok());
    matrix_ = std::move(matrix).take();
    chosen_.resize(problems_.size());
    std::iota(chosen_.begin(), chosen_.end(), size_t{0});
    standardisation_ = standardise(matrix_, chosen_);
    inputs_ = varying_features(matrix_, chosen_, matrix_.features());
  }
  LearningView view() const { return {problems_, matrix_, chosen_, standardisation_, inputs_}; }

  std::vector<TimedProblem> problems_;
  FeatureMatrix matrix_;
  std::vector<size_t> chosen_;
  Standardisation standardisation_;
  std::vector<uint16_t> inputs_;
};

TEST_F(RankLists, HoldOneListAProblemWithItsBestAtZero) {
  const TrainingLists lists = rank_lists(view(), {});
  ASSERT_EQ(lists.list_count(), problems_.size());
  for (size_t problem = 0; problem < problems_.size(); ++problem) {
    const auto begin = lists.y.begin() + static_cast<std::ptrdiff_t>(lists.first[problem]);
    const auto end = lists.y.begin() + static_cast<std::ptrdiff_t>(lists.first[problem + 1]);
    EXPECT_EQ(*std::min_element(begin, end), 0.0F);
  }
}

TEST_F(RankLists, LeaveOutWhatDidNotRun) {
  const TrainingLists lists = rank_lists(view(), {});
  const auto ran = std::count_if(problems_[0].seconds.begin(), problems_[0].seconds.end(),
                                 [](double seconds) { return !std::isnan(seconds); });
  EXPECT_EQ(lists.first[1] - lists.first[0], static_cast<size_t>(ran));
}

TEST_F(RankLists, DrawManyListsOfALargeProblem) {
  ListOptions options;
  options.most_whole = 8;
  options.most_length = 8;
  options.lists_of_large = 5;
  const TrainingLists lists = rank_lists(view(), options);
  EXPECT_EQ(lists.length, 8u);
  EXPECT_EQ(lists.list_count(), 5 * problems_.size());
}

TEST_F(RankLists, StandardisedInputsHaveNoMeanAndUnitDeviation) {
  const TrainingLists lists = level_lists(view(), {});
  double sum = 0;
  double squares = 0;
  for (size_t row = 0; row < lists.y.size(); ++row) {
    sum += lists.x[row * lists.features];
    squares += std::pow(lists.x[row * lists.features], 2);
  }
  const auto count = static_cast<double>(lists.y.size());
  EXPECT_NEAR(sum / count, 0, 0.05);  // the row that did not run is missing
  EXPECT_NEAR(squares / count, 1, 0.05);
}

TEST_F(RankLists, FailureListsMarkWhatFitsAndDidNotRun) {
  const TrainingLists lists = failure_lists(view(), {});
  EXPECT_EQ(std::count(lists.y.begin(), lists.y.end(), 1.0F), matrix_.fits[1] != 0 ? 1 : 0);
}

TEST_F(RankLists, VendorListsHoldOneRowAProblem) {
  problems_[4].vendor_s.reset();
  const TrainingLists lists = vendor_lists(view());
  EXPECT_EQ(lists.y.size(), problems_.size() - 1);
}

TEST_F(RankLists, FeaturesOfOneDeviceThatNeverVaryAreNoInputs) {
  const auto hopper = matrix_.table->position_of("has_warpgroup");
  ASSERT_TRUE(hopper.has_value());
  EXPECT_FALSE(std::binary_search(inputs_.begin(), inputs_.end(), static_cast<uint16_t>(*hopper)));
}

}  // namespace
}  // namespace triode::train
