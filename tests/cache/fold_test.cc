// SPDX-License-Identifier: Apache-2.0
#include "cache/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace triode {
namespace {

TrialRecord trial(double median_ns, int32_t count, int64_t when, double spread = 0.01) {
  return {{}, {median_ns, median_ns * 0.9, spread, count}, when};
}

TrialRecord failure(OutcomeKind kind, int64_t when) {
  return {{kind, "because"}, {}, when};
}

std::vector<TrialRecord> some_trials(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::vector<TrialRecord> trials;
  for (int i = 0; i < count; ++i) {
    TrialRecord next = trial(100 + random() % 100, 1 + static_cast<int32_t>(random() % 9), i + 1,
                             0.001 * static_cast<double>(random() % 30));
    if (random() % 3 == 0) next.vendor = VendorTime{200.0 + random() % 50, 1.5, 0.01};
    if (random() % 4 == 0) next = failure(OutcomeKind::kTimedOut, i + 1);
    trials.push_back(next);
  }
  return trials;
}

void expect_same(const TrialRecord& a, const TrialRecord& b) {
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.when_unix_s, b.when_unix_s);
  EXPECT_EQ(a.trials, b.trials);
  EXPECT_EQ(a.measurement.count, b.measurement.count);
  EXPECT_EQ(a.measurement.min_ns, b.measurement.min_ns);
  EXPECT_NEAR(a.measurement.median_ns, b.measurement.median_ns, 1e-9 * b.measurement.median_ns);
  EXPECT_NEAR(a.measurement.spread, b.measurement.spread, 1e-9);
  ASSERT_EQ(a.vendor.has_value(), b.vendor.has_value());
  if (!a.vendor) return;
  EXPECT_NEAR(a.vendor->speedup, b.vendor->speedup, 1e-9);
}

TEST(Fold, LeavesOneTrialAsItIs) {
  const TrialRecord one = trial(123.4567890123, 5, 10);
  EXPECT_EQ(fold(std::vector{one}), one);
}

TEST(Fold, GivesTheSameInAnyOrder) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<TrialRecord> trials = some_trials(seed, 7);
    const TrialRecord before = fold(trials);
    std::reverse(trials.begin(), trials.end());
    expect_same(fold(trials), before);
  }
}

TEST(Fold, GivesTheSameWhateverWasFoldedEarlier) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<TrialRecord> trials = some_trials(seed, 8);
    const TrialRecord first = fold(std::span(trials).first(3));
    const TrialRecord rest = fold(std::span(trials).subspan(3));
    expect_same(fold(std::vector{first, rest}), fold(trials));
  }
}

TEST(Fold, WeighsMediansBySamples) {
  const TrialRecord folded = fold(std::vector{trial(100, 3, 1), trial(200, 1, 2)});
  EXPECT_NEAR(folded.measurement.median_ns, 100 * std::pow(2, 0.25), 1e-9);
  EXPECT_EQ(folded.measurement.min_ns, 90);
  EXPECT_EQ(folded.measurement.count, 4);
  EXPECT_EQ(folded.trials, 2);
}

TEST(Fold, TrialsThatDisagreeWidenTheSpread) {
  EXPECT_GT(fold(std::vector{trial(100, 5, 1), trial(150, 5, 2)}).measurement.spread, 0.1);
  EXPECT_NEAR(fold(std::vector{trial(100, 5, 1), trial(100, 5, 2)}).measurement.spread, 0.01,
              1e-12);
}

TEST(Fold, TheLatestTrialDecidesTheOutcome) {
  const auto timed_out = failure(OutcomeKind::kTimedOut, 2);
  EXPECT_EQ(fold(std::vector{trial(100, 5, 1), timed_out}).outcome, timed_out.outcome);
  EXPECT_TRUE(fold(std::vector{trial(100, 5, 3), timed_out}).outcome.ok());
}

TEST(Fold, AWrongResultStays) {
  const auto wrong = failure(OutcomeKind::kWrongResult, 1);
  EXPECT_EQ(fold(std::vector{wrong, trial(100, 5, 2)}).outcome, wrong.outcome);
}

TEST(Fold, FailuresDoNotChangeTimes) {
  const TrialRecord folded =
      fold(std::vector{trial(100, 5, 1), failure(OutcomeKind::kTimedOut, 2)});
  EXPECT_EQ(folded.measurement, trial(100, 5, 1).measurement);
}

TEST(Fold, ForeignTrialsStayApartInTheStore) {
  TrialRecord foreign = trial(100, 5, 1);
  foreign.origin = "kernel-tuner";
  EXPECT_FALSE(may_fold(foreign, foreign));
  EXPECT_FALSE(may_fold(foreign, trial(100, 5, 1)));
  EXPECT_TRUE(may_fold(trial(90, 5, 1), trial(100, 5, 1)));
}

TEST(Fold, ATimeBeatsAnUnsteadyOneAndThatAFailure) {
  TrialRecord unstable = trial(50, 5, 1);
  unstable.outcome.kind = OutcomeKind::kUnstable;
  EXPECT_TRUE(is_better(trial(100, 5, 1), unstable));
  EXPECT_TRUE(is_better(unstable, failure(OutcomeKind::kCrashed, 1)));
  EXPECT_TRUE(is_better(trial(99, 5, 1), trial(100, 5, 1)));
}

}  // namespace
}  // namespace triode
