// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tuner/one_tuner.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// What it tells of what it does.
class TunerStatusTest : public OneTuner {};

TEST_F(TunerStatusTest, CountsWhatItDoes) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kCrashed}};
  join(1);
  report(1, 16);
  step();
  const TunerStatus status = tuner_->status();
  EXPECT_EQ(status.searches, 1u);
  EXPECT_EQ(status.trials, 40u);
  EXPECT_EQ(status.failed_trials, 4u);
  EXPECT_EQ(status.plans_found, 1u);
  EXPECT_EQ(status.plans, 1u);
  EXPECT_EQ(status.current, "");
  EXPECT_THAT(status.latest, SizeIs(1));
}

uint64_t total_of(const std::vector<Metric>& metrics, const std::string& name,
                  const std::string& label = "") {
  for (const Metric& metric : metrics) {
    if (metric.name == name && metric.label == label) return metric.total();
  }
  return 0;
}

TEST_F(TunerStatusTest, MeasuresWhatItDoes) {
  runner_.outcomes_by_x = {{0, OutcomeKind::kCrashed}};
  join(1);
  report(1, 16);
  step();
  const std::vector<Metric> metrics = tuner_->metrics().all();
  EXPECT_EQ(total_of(metrics, "trials", "outcome=ok"), 36u);
  EXPECT_EQ(total_of(metrics, "trials", "outcome=crashed"), 4u);
  EXPECT_EQ(total_of(metrics, "trial_seconds"), 40u);
  EXPECT_EQ(total_of(metrics, "search_seconds"), 1u);
  EXPECT_EQ(total_of(metrics, "searches_settled", "by=plan"), 1u);
  EXPECT_EQ(total_of(metrics, "speedup"), 1u);
  withdraw(1, 16);
  EXPECT_EQ(total_of(tuner_->metrics().all(), "withdrawals"), 1u);
}

TEST_F(TunerStatusTest, ShowsWhereAProblemStands) {
  join(1);
  report(1, 16, 5e6);
  EXPECT_EQ(shown().state, ProblemState::kQueued);
  EXPECT_EQ(shown().problem, "mm f32 16x16x16 nn ld-aligned align=4");
  EXPECT_EQ(shown().use.vendor_ns, 5e6);
  EXPECT_EQ(shown().expected_saving, 0.5);
  ProblemState during = ProblemState::kQueued;
  tuner_->step([&] {
    during = shown().state;
    return false;
  });
  EXPECT_EQ(during, ProblemState::kTiming);
  EXPECT_EQ(shown().state, ProblemState::kTuned);
  EXPECT_EQ(shown().speedup, 8);
  EXPECT_EQ(shown().trials, 40u);
  EXPECT_EQ(shown().clients, 1u);
  tell_figures(1, 16, {10, 5e6, 100, 6e6});
  EXPECT_EQ(shown().use.plan_calls, 100u);
  EXPECT_EQ(tuner_->total_of(1).use.plan_ns, 6e6);
  withdraw(1, 16);
  EXPECT_EQ(shown().state, ProblemState::kWithdrawn);
  EXPECT_GT(tuner_->status().trials_per_second, 0);
}

TEST_F(TunerStatusTest, ShowsAProblemAgainThatWaitsAgain) {
  join(1);
  report(1, 16);
  tuner_->step([this] { return runner_.tried.size() >= 5; });
  EXPECT_EQ(shown().state, ProblemState::kQueued);
}

TEST_F(TunerStatusTest, ShowsWhyTheVendorStays) {
  runner_.refuses = unsupported("the library has changed");
  join(1);
  report(1, 16);
  step();
  EXPECT_EQ(shown().state, ProblemState::kVendor);
  EXPECT_THAT(shown().remark, HasSubstr("has changed"));
}

TEST_F(TunerStatusTest, FiguresAloneAreShownAndNotSearchedFor) {
  join(1);
  report(1, 16);
  step();
  tuner_ = make_tuner();
  join(1);
  verdicts_.clear();
  tell_figures(1, 16, {10, 5e6, 100, 6e6});
  EXPECT_EQ(shown().state, ProblemState::kTuned);
  tell_figures(1, 17, {1000, 9e9, 0, 0});
  EXPECT_EQ(shown().state, ProblemState::kVendor);
  EXPECT_FALSE(step());
  EXPECT_THAT(verdicts_, SizeIs(0));
}

}  // namespace
}  // namespace triode::tuner
