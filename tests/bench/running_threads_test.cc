// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/running_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace triode::bench {
namespace {

TEST(RunningThreads, ReadsTheStateBehindTheName) {
  EXPECT_TRUE(says_running("12 (worker) R 1 12 12 0"));
  EXPECT_FALSE(says_running("12 (worker) S 1 12 12 0"));
  EXPECT_FALSE(says_running("12 (worker) D 1 12 12 0"));
}

TEST(RunningThreads, IsNotMisledByAName) {
  EXPECT_FALSE(says_running("12 (a) R b) S 1 12 12 0"));
  EXPECT_TRUE(says_running("12 () S) R 1 12 12 0"));
}

TEST(RunningThreads, TakesALineThatIsNotThereForAThreadThatEnded) {
  EXPECT_FALSE(says_running(""));
}

TEST(RunningThreads, SeesAThreadThatSpins) {
  std::atomic<bool> is_spinning{false};
  std::jthread spinner([&](const std::stop_token& stop) {
    is_spinning = true;
    while (!stop.stop_requested()) {
    }
  });
  while (!is_spinning) std::this_thread::yield();
  EXPECT_TRUE(other_threads_run());
}

TEST(RunningThreads, DoesNotCountTheCaller) {
  EXPECT_FALSE(other_threads_run());
}

}  // namespace
}  // namespace triode::bench
