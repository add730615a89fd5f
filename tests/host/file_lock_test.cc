// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class FileLockTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string path = folder.path() / "lock";
};

TEST_F(FileLockTest, IsHeldByOneAtATime) {
  std::optional<FileLock> first = FileLock::acquire(path).take();
  EXPECT_THAT(FileLock::acquire(path, milliseconds(0)),
              FailsWith(StatusCode::kUnavailable, HasSubstr(path)));
  first.reset();
  EXPECT_TRUE(FileLock::acquire(path, milliseconds(0)).ok());
}

TEST_F(FileLockTest, IsReleasedThoughAChildForkedMeanwhileLives) {
  std::optional<FileLock> lock = FileLock::acquire(path).take();
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  lock.reset();
  EXPECT_TRUE(FileLock::acquire(path, milliseconds(0)).ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(FileLockTest, FailsWhereNoFileCanBe) {
  EXPECT_THAT(FileLock::acquire(folder.path() / "no" / "lock"),
              FailsWith(StatusCode::kNotFound, HasSubstr("cannot lock")));
}

}  // namespace
}  // namespace triode
