// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/scheduler.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using std::chrono::seconds;

class SchedulerTest : public ::testing::Test {
 protected:
  void report(ClientId client, int64_t size, double total_ns, double saving = 0.5) {
    const TunedCall call{sample_call(size), sample_target()};
    scheduler_.report(client, call, saving, {size, call.call, {1, total_ns, 0, 0}});
  }
  // The size of the next call, charged for a second; 0 if there is none.
  int64_t next() {
    const auto call = scheduler_.take_next(now_);
    if (!call) return 0;
    scheduler_.charge(*call, seconds(1));
    return call->call.call.key.m;
  }

  Scheduler scheduler_;
  std::chrono::nanoseconds now_ = seconds(5);
};

TEST_F(SchedulerTest, HasNothingToBeginWith) {
  EXPECT_EQ(next(), 0);
}

TEST_F(SchedulerTest, TakesWhatSavesMostFirst) {
  report(1, 10, 5e6);
  report(1, 20, 9e6);
  report(1, 30, 8e6, 0.9);
  EXPECT_EQ(next(), 30);
  EXPECT_EQ(next(), 20);
  EXPECT_EQ(next(), 10);
  EXPECT_EQ(next(), 0);
}

TEST_F(SchedulerTest, NewFiguresReplaceTheOld) {
  report(1, 10, 5e6);
  report(1, 20, 4e6);
  report(1, 20, 6e6);
  EXPECT_EQ(next(), 20);
  EXPECT_EQ(scheduler_.waiting(), 1u);
}

TEST_F(SchedulerTest, ServesClientsInTurns) {
  for (int64_t size = 10; size < 14; ++size) report(1, size, 1e9);
  report(2, 20, 1e6);
  report(2, 21, 1e6);
  std::vector<bool> is_second;
  for (int i = 0; i < 4; ++i) is_second.push_back(next() >= 20);
  EXPECT_EQ(is_second, (std::vector<bool>{false, true, false, true}));
}

TEST_F(SchedulerTest, ALateClientBeginsWhereTheOthersAre) {
  for (int64_t size = 10; size < 20; ++size) report(1, size, 1e9);
  for (int i = 0; i < 5; ++i) next();
  report(2, 30, 1e6);
  report(2, 31, 1e6);
  report(2, 32, 1e6);
  int seconds_for_first = 0;
  for (int i = 0; i < 4; ++i) seconds_for_first += next() < 30 ? 1 : 0;
  EXPECT_EQ(seconds_for_first, 2);
}

TEST_F(SchedulerTest, OneCallOfManyClientsIsTunedOnceAndCostsEachAShare) {
  report(1, 10, 1e6);
  report(2, 10, 1e6);
  report(1, 11, 1.5e6);
  const auto first = scheduler_.take_next(now_);
  EXPECT_EQ(first->call.call.key.m, 10);
  EXPECT_EQ(first->clients.size(), 2u);
}

TEST_F(SchedulerTest, ForgetsWhatOnlyALeavingClientWanted) {
  report(1, 10, 1e6);
  report(2, 10, 1e6);
  report(1, 11, 9e6);
  scheduler_.forget(1);
  EXPECT_EQ(next(), 10);
  EXPECT_EQ(next(), 0);
}

TEST_F(SchedulerTest, TellsVendorsThreadsAndTargetsApart) {
  TunedCall call{sample_call(10), sample_target()};
  const std::string one = identity_of(call);
  TunedCall other_vendor = call, other_threads = call, other_target = call;
  other_vendor.call.identity = "libblas.so 34cd";
  other_threads.call.threads = 2;
  other_target.target.cores = 1;
  EXPECT_NE(identity_of(other_vendor), one);
  EXPECT_NE(identity_of(other_threads), one);
  EXPECT_NE(identity_of(other_target), one);
}

TEST_F(SchedulerTest, PutsBackForThoseWhoStillWait) {
  report(1, 10, 1e6);
  const WaitingCall taken = *scheduler_.take_next(now_);
  scheduler_.put_back(taken);
  EXPECT_EQ(next(), 10);
  WaitingCall nobodys = taken;
  nobodys.clients.clear();
  scheduler_.put_back(nobodys);
  EXPECT_EQ(next(), 0);
}

TEST_F(SchedulerTest, LeavesACallAloneThatRests) {
  report(1, 10, 9e6);
  report(1, 20, 5e6);
  WaitingCall resting = *scheduler_.take_next(now_);
  resting.not_before = seconds(6);
  scheduler_.put_back(resting);
  EXPECT_EQ(next(), 20);
  EXPECT_EQ(next(), 0);
  EXPECT_EQ(scheduler_.waiting(), 1u);
  now_ = seconds(6);
  EXPECT_EQ(next(), 10);
}

}  // namespace
}  // namespace triode::tuner
