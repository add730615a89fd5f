// SPDX-License-Identifier: Apache-2.0
#include "learner/train/online_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/learner/made_up_source.h"
#include "tests/learner/small_model.h"

namespace triode::train {
namespace {

class Streaming : public ::testing::Test {
 protected:
  Streaming() {
    for (HeldBackProblem& timed : made_up_timings(std::make_shared<const MadeUpSource>(model))) {
      problems.push_back({timed.problem,
                          timed.space,
                          timed.device,
                          timed.family,
                          "made up",
                          std::move(timed.configs),
                          std::move(timed.seconds),
                          {}});
    }
    chosen.resize(problems.size());
    std::iota(chosen.begin(), chosen.end(), size_t{0});
  }

  std::vector<StreamedChoice> streamed(const StreamOptions& options) const {
    return *stream(problems, chosen, model, options);
  }
  // Of the first choice, over the last half.
  static double log_regret(const std::vector<StreamedChoice>& choices) {
    double sum = 0;
    for (size_t i = choices.size() / 2; i < choices.size(); ++i) sum += std::log(choices[i].first);
    return 2 * sum / static_cast<double>(choices.size());
  }

  std::shared_ptr<const CostModel> model = model_of(with_mechanism_features());
  std::vector<TimedProblem> problems;
  std::vector<size_t> chosen;
};

TEST_F(Streaming, EndsWithBetterFirstChoicesIfTheModelLearns) {
  StreamOptions options;
  options.slow.emplace();
  options.slow->problems_between = 20;
  options.slow->steps = 40;
  const double learned = log_regret(streamed(options));
  options.learns = false;
  EXPECT_LT(learned, 0.7 * log_regret(streamed(options)));
}

TEST_F(Streaming, RepeatsToTheDigit) {
  StreamOptions options;
  options.slow.emplace();
  options.slow->problems_between = 30;
  options.slow->steps = 5;
  const std::vector<StreamedChoice> first = streamed(options);
  const std::vector<StreamedChoice> second = streamed(options);
  ASSERT_EQ(first.size(), problems.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].problem, second[i].problem);
    EXPECT_EQ(first[i].reached, second[i].reached);
  }
}

TEST_F(Streaming, TimesAsManyAsWereAskedForInRounds) {
  StreamOptions options;
  options.policy.batch = 2;
  for (const StreamedChoice& choice : streamed(options)) {
    ASSERT_EQ(choice.reached.size(), 3u);
    EXPECT_GE(choice.reached[0], choice.reached[2]);
    EXPECT_GE(choice.reached[2], 1);
  }
}

TEST_F(Streaming, PassesOnWhatIsWrongWithSlowLearning) {
  StreamOptions options;
  options.slow.emplace();
  options.slow->steps = 0;
  EXPECT_EQ(stream(problems, chosen, model, options).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace triode::train
