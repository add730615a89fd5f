// SPDX-License-Identifier: Apache-2.0
#include "tests/host/fresh_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

// Read by the thread sanitizer at start; unused without it. It would set the exit code where a
// process ends by exit(), which a child does not. NOLINTBEGIN(bugprone-reserved-identifier): the
// name is the sanitizer's.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options();

extern "C" const char* __tsan_default_options() {
  return "halt_on_error=1";
}
// NOLINTEND(bugprone-reserved-identifier)

namespace triode {

void in_fresh_process(const std::function<void()>& body) {
  std::fflush(stdout);  // else both would write what is waiting
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace triode
