// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace triode::bench {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Ratios, AreTakenRoundByRound) {
  EXPECT_THAT(ratios(std::vector<double>{2, 9}, std::vector<double>{1, 3}), ElementsAre(2, 3));
}

std::vector<TimedCall> calls_every(std::int64_t period_ns, std::int64_t duration_ns, int count) {
  std::vector<TimedCall> calls;
  for (int i = 0; i < count; ++i) calls.push_back({i * period_ns, duration_ns});
  return calls;
}

TEST(WindowFigures, CountWhatLiesWhollyInside) {
  const Window window{1000, 1'001'500, true, 0.0005};
  const auto figures = figures_of(window, calls_every(1000, 600, 2000));
  ASSERT_TRUE(figures.has_value());
  // From 1000 to 1000000: the call that begins at 1001000 ends outside.
  EXPECT_THAT(figures->calls_per_s * figures->seconds, DoubleNear(1000, 1e-6));
  EXPECT_EQ(figures->p99_ns, 600);
  EXPECT_THAT(figures->tuner_cores, DoubleNear(0.0005 / 0.0010005, 1e-9));
  EXPECT_TRUE(figures->is_tuning);
}

TEST(WindowFigures, OfTooFewCallsAreNone) {
  EXPECT_FALSE(figures_of({0, 99'000, false, 0}, calls_every(1000, 600, 2000)).has_value());
}

WindowFigures window(bool is_tuning, double calls_per_s, double p99_ns) {
  WindowFigures figures;
  figures.is_tuning = is_tuning;
  figures.calls_per_s = calls_per_s;
  figures.p99_ns = p99_ns;
  return figures;
}

TEST(InterferenceOf, ComparesWithTheWindowsOnBothSides) {
  const std::vector<WindowFigures> windows = {window(false, 100, 10), window(true, 90, 18),
                                              window(false, 80, 20), window(true, 60, 20)};
  const Interference found = interference_of(windows);
  EXPECT_THAT(found.throughput, ElementsAre(1.0));
  EXPECT_THAT(found.p99, ElementsAre(1.2));
}

TEST(InterferenceOf, NeedsAWindowBetweenTwo) {
  const std::vector<WindowFigures> windows = {window(false, 100, 10), window(true, 90, 18)};
  EXPECT_THAT(interference_of(windows).throughput, SizeIs(0));
}

// A speed-up that is 1 for five seconds, then rises by a tenth a second up to 2.
std::vector<ConvergenceRound> rising() {
  std::vector<ConvergenceRound> rounds;
  for (int i = 0; i < 400; ++i) {
    const double seconds = 0.1 * i;
    const double speedup = std::clamp(1 + 0.1 * (seconds - 5), 1.0, 2.0);
    rounds.push_back({seconds, 1e6 * speedup, 1e6});
  }
  return rounds;
}

TEST(SecondsToShare, IsWhenTheSpeedupHadComeSoFar) {
  EXPECT_THAT(*seconds_to_share(rising(), 0.9), DoubleNear(14, 0.11));
  EXPECT_THAT(*seconds_to_share(rising(), 0.5), DoubleNear(10, 0.11));
  EXPECT_EQ(final_speedup(rising()), 2);
}

TEST(SecondsToShare, IsNotFooledByAFewRounds) {
  std::vector<ConvergenceRound> rounds = rising();
  for (std::size_t i = 0; i < 4; ++i) rounds[i].vendor_ns *= 5;
  for (std::size_t i = 300; i < 308; ++i) rounds[i].program_ns *= 5;
  EXPECT_THAT(*seconds_to_share(rounds, 0.9), DoubleNear(14, 0.11));
}

TEST(SecondsToShare, OfNoSpeedupIsNone) {
  const std::vector<ConvergenceRound> rounds(50, ConvergenceRound{1, 1e6, 1.1e6});
  EXPECT_FALSE(seconds_to_share(rounds, 0.9).has_value());
}

}  // namespace
}  // namespace triode::bench
