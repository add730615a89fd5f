// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/device/parallel_library.h"

namespace triode {
namespace {

// Counts, without atomics, how often each part was called: a part called by two threads at once, or
// whose call the caller does not see, is a data race.
struct Tally {
  explicit Tally(int parts) : calls(static_cast<size_t>(parts)) {}

  static void count(void* context, int part) {
    ++static_cast<Tally*>(context)->calls[static_cast<size_t>(part)];
  }

  bool all_are(int expected) const {
    return std::all_of(calls.begin(), calls.end(), [=](int n) { return n == expected; });
  }

  std::vector<int> calls;
};

class ParallelLoop : public ::testing::TestWithParam<int> {
 protected:
  ParallelFor loop_ = std::move(parallel_library()).take();
};

TEST_P(ParallelLoop, CallsEveryPartOnce) {
  Tally tally(GetParam());
  loop_(GetParam(), &Tally::count, &tally);
  EXPECT_TRUE(tally.all_are(1));
}

TEST_P(ParallelLoop, MayBeRepeatedAtOnce) {
  Tally tally(GetParam());
  for (int i = 0; i < 2000; ++i) loop_(GetParam(), &Tally::count, &tally);
  EXPECT_TRUE(tally.all_are(2000));
}

TEST_P(ParallelLoop, MayBeRunByManyThreadsAtOnce) {
  std::atomic<int> wrong{0};
  constexpr int kCallers = 4;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&] {
      Tally tally(GetParam());
      for (int i = 0; i < 500; ++i) loop_(GetParam(), &Tally::count, &tally);
      if (!tally.all_are(500)) ++wrong;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ParallelLoop, MayBeRunFromInsideAPart) {
  struct Nested {
    const ParallelFor& loop;
    std::vector<Tally> tallies;
  } nested{loop_, std::vector<Tally>(static_cast<size_t>(GetParam()), Tally(GetParam()))};
  loop_(
      GetParam(),
      [](void* context, int part) {
        Nested& self = *static_cast<Nested*>(context);
        Tally& tally = self.tallies[static_cast<size_t>(part)];
        self.loop(static_cast<int>(tally.calls.size()), &Tally::count, &tally);
      },
      &nested);
  for (const Tally& tally : nested.tallies) EXPECT_TRUE(tally.all_are(1));
}

// More parts than any team has threads, and none at all, are within the contract too.
INSTANTIATE_TEST_SUITE_P(Parts, ParallelLoop, ::testing::Values(0, 1, 2, 3, 8, 1100));

struct Meeting {
  std::atomic<int> here{0};
  std::array<std::thread::id, 2> threads;

  // Waits a while for the other part, so that there is time for another thread to take it.
  static void attend(void* context, int part) {
    Meeting& self = *static_cast<Meeting*>(context);
    self.threads[static_cast<size_t>(part)] = std::this_thread::get_id();
    ++self.here;
    for (int i = 0; i < 1000 && self.here < 2; ++i) std::this_thread::yield();
  }
};

TEST(ParallelLoopOfTwoParts, UsesAnotherThread) {
  const ParallelFor loop = std::move(parallel_library()).take();
  bool were_two = false;
  for (int attempt = 0; attempt < 1000 && !were_two; ++attempt) {
    Meeting meeting;
    loop(2, &Meeting::attend, &meeting);
    were_two = meeting.threads[0] != meeting.threads[1];
  }
  EXPECT_TRUE(were_two);
}

}  // namespace
}  // namespace triode
