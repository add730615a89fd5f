// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/cpu_time.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWork(20);

void work() {
  const auto end = cpu_time_with(0) + kWork;
  while (cpu_time_with(0) < end) {
  }
}

TEST(CpuTime, IsThisProcesss) {
  const auto before = cpu_time_with(0);
  work();
  EXPECT_GE(cpu_time_with(0) - before, kWork);
}

TEST(CpuTime, OfAThreadLeavesOutTheOthers) {
  const auto before = thread_cpu_time_with(0);
  const auto before_all = cpu_time_with(0);
  std::thread(work).join();
  const auto others = cpu_time_with(0) - before_all;
  EXPECT_LT(thread_cpu_time_with(0) - before, others);
  work();
  EXPECT_GE(thread_cpu_time_with(0) - before, kWork);
}

// Tells when it has worked, and waits for its end.
pid_t worked_child() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    work();
    close(ends[1]);
    for (;;) pause();
  }
  close(ends[1]);
  char nothing = 0;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0);
  close(ends[0]);
  return child;
}

TEST(CpuTime, IsAChildsWhileItRunsAndAfterIt) {
  const auto before = cpu_time_with(0);
  const pid_t child = worked_child();
  EXPECT_GE(cpu_time_with(child) - cpu_time_with(0), kWork);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_GE(cpu_time_with(child) - before, kWork);
}

}  // namespace
}  // namespace triode::tuner
