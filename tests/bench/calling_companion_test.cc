// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calling_companion.h"

#include <gtest/gtest.h>

namespace triode::bench {
namespace {

TEST(CallingCompanion, CallsNothingBeforeItIsTold) {
  std::atomic<int> calls{0};
  {
    const CallingCompanion companion({[&calls] { ++calls; }});
    std::this_thread::yield();
  }
  EXPECT_EQ(calls, 0);
}

TEST(CallingCompanion, HasMadeTheCallWhenFollowReturns) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  CallingCompanion companion({[&first] { ++first; }, [&second] { ++second; }});
  companion.follow(1);
  EXPECT_EQ(first, 0);
  EXPECT_GT(second, 0);
  companion.follow(0);
  EXPECT_GT(first, 0);
}

TEST(CallingCompanion, RunsOnAnotherThread) {
  std::thread::id id;
  {
    CallingCompanion companion({[&id] { id = std::this_thread::get_id(); }});
    companion.follow(0);
  }
  EXPECT_NE(id, std::this_thread::get_id());
  EXPECT_NE(id, std::thread::id());
}

}  // namespace
}  // namespace triode::bench
