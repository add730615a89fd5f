// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/interleaved_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/runtime/fake_machine.h"

namespace triode {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Contenders = std::vector<std::function<void()>>;

class InterleavedTimer : public ::testing::Test {
 protected:
  InterleavedTimer() {
    options_.clock = &machine_;
    options_.interruptions = &machine_;
  }

  // A contender that takes this long, and is preempted once in every call of the rounds for which
  // `is_hit` says so. Rounds are counted by calls: two for each (one is to warm up), after
  // calibration.
  std::function<void()> preempted(nanoseconds time, const std::function<bool(int round)>& is_hit) {
    return [this, time, is_hit, calls = 0]() mutable {
      machine_.pass(time);
      const int round = (calls++ - kCallsToCalibrate) / 2;
      if (calls > kCallsToCalibrate && is_hit(round)) machine_.preempt();
    };
  }

  static constexpr int kCallsToCalibrate = 2;  // of a contender long enough to need no repeats

  FakeMachine machine_;
  InterleavedOptions options_;
};

TEST_F(InterleavedTimer, GivesTheTimeOfOneCall) {
  const InterleavedTimes times = time_interleaved(
      Contenders{machine_.steady(nanoseconds(100)), machine_.steady(microseconds(300))}, options_);
  EXPECT_THAT(times.rounds_ns, Each(ElementsAre(100, 300'000)));
  EXPECT_THAT(times.ratios(1, 0), Each(3000));
}

TEST_F(InterleavedTimer, RepeatsShortCallsUntilASampleIsLongEnough) {
  const InterleavedTimes times = time_interleaved(
      Contenders{machine_.steady(nanoseconds(100)), machine_.steady(microseconds(300))}, options_);
  EXPECT_GE(times.repeats[0] * 100, 20'000);
  EXPECT_LE(times.repeats[0] * 100, 25'000);
  EXPECT_EQ(times.repeats[1], 1);
}

TEST_F(InterleavedTimer, RepeatsNoMoreThanAllowed) {
  options_.max_repeats = 7;
  const InterleavedTimes times =
      time_interleaved(Contenders{machine_.steady(nanoseconds(100))}, options_);
  EXPECT_THAT(times.repeats, ElementsAre(7));
}

TEST_F(InterleavedTimer, EndsOnAClockThatStandsStill) {
  options_.max_repeats = 1000;
  options_.target_spread = 1;
  const InterleavedTimes times = time_interleaved(Contenders{[] {}}, options_);
  EXPECT_THAT(times.repeats, ElementsAre(1000));
}

TEST_F(InterleavedTimer, ChangesTheOrderFromRoundToRound) {
  std::string order;
  options_.before_sample = [&](size_t contender, int) { order += "abc"[contender]; };
  options_.min_rounds = 6;
  options_.max_rounds = 6;
  options_.target_spread = -1;
  time_interleaved(Contenders(3, machine_.steady(microseconds(30))), options_);
  EXPECT_EQ(order,
            "abc"
            "abccba"
            "bcaacb"
            "cabbac");
}

TEST_F(InterleavedTimer, WarmsUpBeforeEachSampleButNotForLongCalls) {
  int short_calls = 0;
  int long_calls = 0;
  options_.min_rounds = 1;
  options_.max_rounds = 1;
  time_interleaved(Contenders{[&] { ++short_calls, machine_.pass(microseconds(50)); },
                              [&] { ++long_calls, machine_.pass(milliseconds(50)); }},
                   options_);
  EXPECT_EQ(short_calls, kCallsToCalibrate + 2);
  EXPECT_EQ(long_calls, kCallsToCalibrate + 1);
}

TEST_F(InterleavedTimer, LeavesTheWarmUpToWhoeverPreparesTheSample) {
  options_.warms_up = false;
  int calls = 0;
  const InterleavedTimes times =
      time_interleaved(Contenders{[&] { ++calls, machine_.pass(microseconds(30)); }}, options_);
  EXPECT_EQ(calls, kCallsToCalibrate + times.rounds);
}

TEST_F(InterleavedTimer, PreparesEachSampleOffTheClock) {
  options_.before_sample = [&](size_t, int) { machine_.pass(milliseconds(1)); };
  const InterleavedTimes times =
      time_interleaved(Contenders{machine_.steady(microseconds(30))}, options_);
  EXPECT_THAT(times.times_of(0), Each(30'000));
}

TEST_F(InterleavedTimer, StopsOnceTheRatioIsSteady) {
  const InterleavedTimes times =
      time_interleaved(Contenders(2, machine_.steady(microseconds(30))), options_);
  EXPECT_EQ(times.rounds, options_.min_rounds);
}

TEST_F(InterleavedTimer, GoesOnWhileTheRatioVariesUntilTheBudgetIsSpent) {
  const nanoseconds start = machine_.now();
  options_.budget = milliseconds(10);
  const InterleavedTimes times = time_interleaved(
      Contenders{machine_.steady(microseconds(30)),
                 machine_.varying({microseconds(30), microseconds(30), microseconds(60)})},
      options_);
  EXPECT_GT(times.rounds, 20);
  EXPECT_LT(machine_.now() - start, milliseconds(11));
}

TEST_F(InterleavedTimer, TakesItsLeastRoundsWhateverTheBudget) {
  options_.budget = nanoseconds(0);
  const InterleavedTimes times =
      time_interleaved(Contenders(2, machine_.steady(milliseconds(30))), options_);
  EXPECT_EQ(times.rounds, options_.min_rounds);
}

TEST_F(InterleavedTimer, TakesNoMoreThanItsMostRounds) {
  options_.max_rounds = 12;
  options_.budget = std::chrono::hours(1);
  options_.target_spread = -1;
  const InterleavedTimes times =
      time_interleaved(Contenders(2, machine_.steady(microseconds(30))), options_);
  EXPECT_EQ(times.rounds, 12);
}

TEST_F(InterleavedTimer, RejectsRoundsThatWerePreempted) {
  const InterleavedTimes times = time_interleaved(
      Contenders{preempted(microseconds(30), [](int round) { return round < 3; })}, options_);
  EXPECT_EQ(times.rejected, 3);
  EXPECT_TRUE(times.is_undisturbed);
  EXPECT_THAT(times.rounds_ns, SizeIs(times.rounds - 3));
}

TEST_F(InterleavedTimer, RejectsTheBatchOfRoundsInWhichTimeWasStolen) {
  int calls = 0;
  const InterleavedTimes times = time_interleaved(Contenders{[&] {
                                                    machine_.pass(microseconds(30));
                                                    if (++calls == kCallsToCalibrate + 1) {
                                                      machine_.steal();
                                                    }
                                                  }},
                                                  options_);
  EXPECT_EQ(times.rejected, 5);
  EXPECT_EQ(times.rounds, 10);
  EXPECT_THAT(times.rounds_ns, SizeIs(5));
}

TEST_F(InterleavedTimer, RejectsOnlyTheRoundInWhichTimeWasStolenIfRoundsAreLong) {
  int calls = 0;
  const InterleavedTimes times = time_interleaved(Contenders{[&] {
                                                    machine_.pass(milliseconds(3));
                                                    if (++calls == kCallsToCalibrate + 3)
                                                      machine_.steal();
                                                  }},
                                                  options_);
  EXPECT_EQ(times.rejected, 1);
  EXPECT_TRUE(times.is_undisturbed);
}

TEST_F(InterleavedTimer, CountsRoundsThatWaitedNoLongerThanTolerated) {
  options_.tolerated_wait = 0.01;
  const InterleavedTimes times = time_interleaved(Contenders{[&] {
                                                    machine_.pass(microseconds(1000));
                                                    machine_.keep_waiting(microseconds(5));
                                                  }},
                                                  options_);
  EXPECT_EQ(times.rejected, 0);
}

TEST_F(InterleavedTimer, RejectsRoundsThatWaitedLongerThanTolerated) {
  options_.tolerated_wait = 0.01;
  options_.max_rounds = 20;
  const auto contender = [&, calls = 0]() mutable {
    const int round = (calls++ - kCallsToCalibrate) / 2;
    machine_.pass(microseconds(1000));
    machine_.keep_waiting(round % 2 == 1 ? microseconds(50) : microseconds(5));
  };
  const InterleavedTimes times = time_interleaved(Contenders{contender}, options_);
  EXPECT_TRUE(times.is_undisturbed);
  EXPECT_EQ(times.rejected, times.rounds / 2);
  EXPECT_THAT(times.times_of(0), Each(1'005'000));
}

TEST_F(InterleavedTimer, KeepsTheLeastDisturbedRoundsIfNoneIsUndisturbed) {
  options_.max_rounds = 10;
  const auto contender = [&, calls = 0]() mutable {
    const int round = (calls++ - kCallsToCalibrate) / 2;
    const bool is_bad = round % 2 == 1;
    machine_.pass(is_bad ? microseconds(90) : microseconds(30));
    machine_.preempt();
    if (is_bad) machine_.preempt();
  };
  const InterleavedTimes times = time_interleaved(Contenders{contender}, options_);
  EXPECT_FALSE(times.is_undisturbed);
  EXPECT_EQ(times.rejected, times.rounds);
  EXPECT_THAT(times.times_of(0), ElementsAre(30'000, 30'000, 30'000, 30'000, 30'000));
}

// A contender that takes long is called once more at most.
TEST_F(InterleavedTimer, StopsBetweenAnyTwoSamples) {
  for (int most = 1; most < 12; ++most) {
    int calls = 0;
    const auto contender = [&] { ++calls, machine_.pass(milliseconds(30)); };
    options_.should_stop = [&] { return calls >= most; };
    const InterleavedTimes times = time_interleaved(Contenders(2, contender), options_);
    EXPECT_TRUE(times.is_stopped);
    EXPECT_THAT(times.rounds_ns, IsEmpty());
    EXPECT_LE(calls, most + 1);
  }
}

TEST_F(InterleavedTimer, IsNotAskedAgainOnceStopped) {
  int asked = 0;
  options_.should_stop = [&] { return ++asked == 4; };
  time_interleaved(Contenders(2, machine_.steady(microseconds(30))), options_);
  EXPECT_EQ(asked, 4);
}

TEST_F(InterleavedTimer, OfNobodyIsEmpty) {
  EXPECT_THAT(time_interleaved({}, options_).rounds_ns, IsEmpty());
}

}  // namespace
}  // namespace triode
