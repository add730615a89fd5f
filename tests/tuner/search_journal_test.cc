// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/search_journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tests/runtime/fake_device.h"

namespace triode::tuner {
namespace {

class SearchJournalTest : public ::testing::Test {
 protected:
  // What a search whose trials took so long says of first choices; 0: the trial failed.
  std::optional<Metric> regret_after(const std::vector<double>& times_ns, bool is_first = true) {
    Metrics metrics;
    {
      SearchJournal journal({*log_, events_, metrics, clock_}, target_, problem_, space_, is_first);
      for (const double ns : times_ns) {
        Trial trial;
        if (ns == 0) trial.outcome = {OutcomeKind::kCrashed, "on purpose"};
        trial.measurement.median_ns = ns;
        journal.add_trial(trial);
      }
    }
    for (const Metric& metric : metrics.all()) {
      if (metric.name == kFirstChoiceRegret) return metric;
    }
    return std::nullopt;
  }

 private:
  const std::unique_ptr<TrialLog> log_ = no_stored_trials();
  EventLog events_{""};
  const FakeClock clock_;
  const Target target_;
  const Problem problem_ = Problem::mm(DType::kF32, 8, 8, 8);
  const Space space_;
};

TEST_F(SearchJournalTest, TellsHowMuchWorseTheFirstChoiceWasThanTheBest) {
  const auto regret = regret_after({120, 150, 100, 200, 300, 110, 130, 140});
  ASSERT_TRUE(regret.has_value());
  EXPECT_EQ(regret->total(), 1u);
  EXPECT_DOUBLE_EQ(regret->sum, 1.2);
}

TEST_F(SearchJournalTest, AFirstChoiceThatDidNotRunLeavesItToTheNext) {
  const auto regret = regret_after({0, 110, 150, 100, 200, 300, 110, 130, 140});
  ASSERT_TRUE(regret.has_value());
  EXPECT_DOUBLE_EQ(regret->sum, 1.1);
}

TEST_F(SearchJournalTest, AFewTrialsSayNothingOfTheFirst) {
  EXPECT_FALSE(regret_after({120, 100, 110}).has_value());
}

TEST_F(SearchJournalTest, ASearchThatBeginsWithWhatIsKnownHasNoFirstChoice) {
  EXPECT_FALSE(regret_after({120, 150, 100, 200, 300, 110, 130, 140}, false).has_value());
}

}  // namespace
}  // namespace triode::tuner
