// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/thread_record.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "runtime/host/call_tally.h"
#include "tests/host/host_calls.h"

namespace triode::host {
namespace {

int count_records() {
  int count = 0;
  for (const ThreadRecord* record = first_thread_record(); record != nullptr;
       record = record->next) {
    ++count;
  }
  return count;
}

uint64_t mean_of(const CallCounter::Side& side) {
  return side.ticks / side.timed;
}

TEST(CallCounter, LeavesOutACallThatLostItsCore) {
  CallCounter::Side side;
  for (int i = 0; i < 16; ++i) side.time(100);
  side.time(1'000'000);
  EXPECT_EQ(mean_of(side), 100u);
  EXPECT_EQ(side.timed, 16u);
}

TEST(CallCounter, ForgetsLongCallsBeforeAMuchShorterOne) {
  CallCounter::Side side;
  side.time(1'000'000);
  side.time(100);
  EXPECT_EQ(mean_of(side), 100u);
}

TEST(CallCounter, FollowsCallsThatHaveBecomeMuchLonger) {
  CallCounter::Side side;
  for (int i = 0; i < 16; ++i) side.time(100);
  for (int i = 0; i < 16; ++i) side.time(1'000'000);
  EXPECT_GT(mean_of(side), 100'000u);
}

TEST(ThreadRecord, IsHandedOnWhenItsThreadEnds) {
  const ThreadRecord& own = own_record();
  ThreadRecord *first = nullptr, *second = nullptr;
  std::thread([&] { first = adopt_thread_record(); }).join();
  std::thread([&] { second = adopt_thread_record(); }).join();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, &own);
}

TEST(ThreadRecord, StaysOneForAnyNumberOfThreadsOneAfterAnother) {
  own_record();
  std::thread([] { adopt_thread_record(); }).join();
  const int before = count_records();
  for (int i = 0; i < 100; ++i) std::thread([] { adopt_thread_record(); }).join();
  EXPECT_EQ(count_records(), before);
}

TEST(ThreadRecord, KeepsTheCountsOfThreadsThatEnded) {
  constexpr size_t kEntry = 4000;
  const uint64_t before = tally_entry(kEntry, 1).by_us.calls;
  for (int i = 0; i < 3; ++i) {
    std::thread([] { adopt_thread_record()->counters[kEntry].by_us.count(); }).join();
  }
  own_record().counters[kEntry].by_us.count();
  EXPECT_EQ(tally_entry(kEntry, 1).by_us.calls, before + 4);
}

TEST(ThreadRecord, IsIdleAgainAfterAThreadThatEndedInsideACall) {
  ThreadRecord* record = nullptr;
  std::thread([&] {
    record = adopt_thread_record();
    record->busy_with = kInVendor;
  }).join();
  EXPECT_EQ(record->busy_with.load(), nullptr);
}

TEST(ThreadRecord, BeginsAnewInAForkedChild) {
  constexpr size_t kEntry = 4001;
  const uint64_t before = tally_entry(kEntry, 1).by_vendor.calls;
  own_record().counters[kEntry].by_vendor.count();
  std::thread other([] { adopt_thread_record()->counters[kEntry].by_vendor.count(); });
  other.join();
  const pid_t child = fork();
  if (child == 0) {
    forget_other_threads(kEntry + 1);
    const bool is_clean = tally_entry(kEntry, 1).by_vendor.calls == 0;
    own_record().counters[kEntry].by_vendor.count();
    _exit(is_clean && tally_entry(kEntry, 1).by_vendor.calls == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(tally_entry(kEntry, 1).by_vendor.calls, before + 2);
}

}  // namespace
}  // namespace triode::host
