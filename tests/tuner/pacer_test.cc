// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/runtime/fake_device.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

class PacerTest : public ::testing::Test {
 protected:
  // One core, which we and others use for so many ticks more, and which is idle for so many.
  void pass(int busy, int idle) {
    busy_ += busy;
    idle_ += idle;
    folder_.write("stat", "cpu " + std::to_string(busy_) + " 0 0 " + std::to_string(idle_) +
                              " 0 0 0 0\ncpu0 1\n");
  }
  // On one core, all of it unless others have some.
  void work(nanoseconds time) { work(time, time); }
  void work(nanoseconds time, nanoseconds used) {
    clock_.advance(time);
    cpu_time_ += used;
    pacer_.breathe();
  }

  FakeClock clock_;
  TemporaryFolder folder_;
  int busy_ = 0, idle_ = 0;
  MachineLoad load_{(folder_.path() / "stat").string()};
  std::vector<nanoseconds> rests_;
  nanoseconds cpu_time_{};
  Pacer pacer_{clock_,
               load_,
               [this] { return cpu_time_; },
               {},
               [this](nanoseconds time) {
                 rests_.push_back(time);
                 clock_.advance(time);
               }};
};

TEST_F(PacerTest, RestsNotAfterEveryTrial) {
  work(milliseconds(10));
  work(milliseconds(10));
  EXPECT_TRUE(rests_.empty());
}

TEST_F(PacerTest, RestsNotWhereOnlyItselfIsBusy) {
  pass(10, 0);
  work(milliseconds(100));
  EXPECT_EQ(rests_, std::vector<nanoseconds>{nanoseconds(0)});
}

TEST_F(PacerTest, TellsWhatWasFree) {
  EXPECT_EQ(pacer_.free_cores(), 1);
  pass(3, 1);
  work(milliseconds(100));
  EXPECT_EQ(pacer_.free_cores(), 1.25) << "a quarter, and what we used";
}

TEST_F(PacerTest, RestsLongWhereOthersAre) {
  pass(0, 0);
  work(milliseconds(100));  // nothing is known yet: as if all were busy
  EXPECT_EQ(rests_, std::vector<nanoseconds>{milliseconds(1900)});
}

// Others take whatever we leave: no tick is idle, and we have four tenths of a core while we work.
TEST_F(PacerTest, FallsToTheLeastShareWhileTheMachineIsFull) {
  for (int trial = 0; trial < 6; ++trial) {
    pass(20, 0);
    work(milliseconds(100), milliseconds(40));
  }
  EXPECT_EQ(rests_.front(), milliseconds(150));
  EXPECT_EQ(rests_.back(), milliseconds(1900));
}

TEST_F(PacerTest, RestsNoMoreOnceOthersHaveGone) {
  for (int trial = 0; trial < 6; ++trial) {
    pass(20, 0);
    work(milliseconds(100), milliseconds(40));
  }
  pass(0, 200);
  work(milliseconds(100));
  EXPECT_EQ(rests_.back(), nanoseconds(0));
}

TEST_F(PacerTest, ItsClockCountsWorkAlone) {
  const nanoseconds begin = pacer_.now();
  pass(0, 0);
  work(milliseconds(100));
  work(milliseconds(20));
  EXPECT_EQ(pacer_.now() - begin, milliseconds(120));
}

TEST_F(PacerTest, AProcessThatWasStoppedNeitherWorkedNorMustRest) {
  const nanoseconds before = pacer_.now();
  work(std::chrono::hours(24), nanoseconds(0));
  EXPECT_TRUE(rests_.empty());
  EXPECT_EQ(pacer_.now(), before);
  work(milliseconds(100));
  EXPECT_EQ(rests_, std::vector<nanoseconds>{milliseconds(1900)});
  EXPECT_EQ(pacer_.now() - before, milliseconds(100));
}

TEST_F(PacerTest, ATrialThatTakesMinutesIsWork) {
  const nanoseconds before = pacer_.now();
  pass(0, 0);
  work(std::chrono::seconds(100));
  EXPECT_EQ(rests_, std::vector<nanoseconds>{std::chrono::seconds(1900)});
  EXPECT_EQ(pacer_.now() - before, std::chrono::seconds(100));
}

TEST_F(PacerTest, TimeBeforeASearchIsNoWork) {
  clock_.advance(milliseconds(5000));
  pacer_.begin();
  work(milliseconds(10));
  EXPECT_TRUE(rests_.empty());
}

}  // namespace
}  // namespace triode::tuner
