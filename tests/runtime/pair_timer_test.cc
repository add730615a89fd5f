// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/pair_timer.h"

#include <gtest/gtest.h>

#include "tests/runtime/fake_machine.h"

namespace triode {
namespace {

using std::chrono::microseconds;

class PairTimer : public ::testing::Test {
 protected:
  PairTimer() {
    options_.clock = &machine_;
    options_.interruptions = &machine_;
  }

  FakeMachine machine_;
  InterleavedOptions options_;
};

TEST_F(PairTimer, TellsHowMuchFasterTheCandidateIs) {
  const PairMeasurement pair =
      time_pair(machine_.steady(microseconds(20)), machine_.steady(microseconds(50)), {}, options_)
          .take();
  EXPECT_EQ(pair.candidate.median_ns, 20'000);
  EXPECT_EQ(pair.vendor.median_ns, 50'000);
  EXPECT_EQ(pair.candidate.count, pair.vendor.count);
  EXPECT_DOUBLE_EQ(pair.speedup, 2.5);
  EXPECT_EQ(pair.speedup_spread, 0);
  EXPECT_EQ(pair.rejected, 0);
}

// Both slow down together in every other round: each alone varies, their ratio does not.
TEST_F(PairTimer, IsNotMisledByWhatDisturbsBoth) {
  int calls = 0;
  const auto at_changing_speed = [&](microseconds time) {
    return [&, time] { machine_.pass(calls++ / 8 % 2 == 0 ? time : 2 * time); };
  };
  TimingOptions timing;
  timing.min_rounds = 40;
  const PairMeasurement pair = time_pair(at_changing_speed(microseconds(20)),
                                         at_changing_speed(microseconds(40)), timing, options_)
                                   .take();
  EXPECT_GT(pair.candidate.spread, 0.1);
  EXPECT_DOUBLE_EQ(pair.speedup, 2);
  EXPECT_LT(pair.speedup_spread, 0.01);
}

TEST_F(PairTimer, CountsInterruptedRoundsAndSaysWhichCachesItMeant) {
  TimingOptions timing;
  timing.cache_state = CacheState::kCold;
  timing.max_rounds = 5;
  const auto always_preempted = [&] {
    machine_.pass(microseconds(30));
    machine_.preempt();
  };
  const PairMeasurement pair =
      time_pair(always_preempted, always_preempted, timing, options_).take();
  EXPECT_EQ(pair.rejected, 5);
  EXPECT_EQ(pair.candidate.count, 5);
  EXPECT_EQ(pair.cache_state, CacheState::kCold);
}

TEST_F(PairTimer, TakesBudgetSpreadAndRoundsFromTheTimingOptions) {
  TimingOptions timing;
  timing.target_spread = -1;
  timing.max_rounds = 17;
  timing.budget = std::chrono::hours(1);
  const PairMeasurement pair = time_pair(machine_.steady(microseconds(20)),
                                         machine_.steady(microseconds(50)), timing, options_)
                                   .take();
  EXPECT_EQ(pair.candidate.count, 17);
}

TEST_F(PairTimer, IsUnavailableOnceStopped) {
  TimingOptions timing;
  timing.should_stop = [&] { return machine_.now() > microseconds(300); };
  const auto pair = time_pair(machine_.steady(microseconds(20)), machine_.steady(microseconds(50)),
                              timing, options_);
  EXPECT_EQ(pair.status().code(), StatusCode::kUnavailable);
  EXPECT_LT(machine_.now(), microseconds(400));
}

}  // namespace
}  // namespace triode
