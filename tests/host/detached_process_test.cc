// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/detached_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/core/status_matchers.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::host {
namespace {

using testing::HasSubstr;
using testing::Not;

std::atomic<int> child_signals{0};

class DetachedProcess : public testing::Test {
 protected:
  // Runs a shell script detached; what it prints ends up in a file, which is returned when the
  // script's last line is there.
  std::string output_of(const std::string& script) {
    const std::string file = (folder_.path() / "output").string();
    const std::string whole =
        "{ " + script + "\n} > " + file + ".part 2>&1; mv " + file + ".part " + file;
    const Status status =
        spawn_detached("/bin/sh", {"sh", "-c", whole}, {"PATH=/usr/bin:/bin", "SEEN=yes"});
    EXPECT_TRUE(status.ok()) << status.to_string();
    std::ifstream stream;
    for (int i = 0; i < 1000 && !stream.is_open(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      stream.open(file);
    }
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
};

TEST_F(DetachedProcess, IsNobodysChildAndSendsNoSignal) {
  struct sigaction count {
  }, before{};
  count.sa_handler = [](int) { ++child_signals; };
  sigaction(SIGCHLD, &count, &before);
  const std::string parent = output_of("ps -o ppid= -p $$");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(child_signals, 0);
  EXPECT_NE(std::atoi(parent.c_str()), getpid());
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(DetachedProcess, HasASessionOfItsOwn) {
  const std::string session = output_of("ps -o sid= -p $$");
  EXPECT_NE(std::atoi(session.c_str()), getsid(0));
}

TEST_F(DetachedProcess, HasTheEnvironmentItWasGiven) {
  setenv("UNSEEN", "yes", 1);
  const std::string environment = output_of("env");
  EXPECT_THAT(environment, HasSubstr("SEEN=yes\n"));
  EXPECT_THAT(environment, Not(HasSubstr("UNSEEN")));
  unsetenv("UNSEEN");
}

TEST_F(DetachedProcess, HasNoDescriptorOfTheProgram) {
  const int inherited = open("/proc/self/status", O_RDONLY);
  const std::string open_files = output_of("ls -l /proc/$$/fd");
  EXPECT_THAT(open_files, Not(HasSubstr("/status")));
  EXPECT_THAT(open_files, Not(HasSubstr("pipe:")));
  EXPECT_THAT(open_files, HasSubstr("0 -> /dev/null"));
  close(inherited);
}

TEST_F(DetachedProcess, BlocksAndIgnoresNoSignal) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const std::string masks = output_of("grep -E 'SigBlk|SigIgn' /proc/self/status");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(masks, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(masks, HasSubstr("SigIgn:\t0000000000000000"));
}

// This process's, for as long as it lives.
class SoftLimit {
 public:
  SoftLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource, &before_), 0);
    const rlimit low{value, before_.rlim_max};
    EXPECT_EQ(setrlimit(resource, &low), 0);
  }
  ~SoftLimit() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

// What the thread may use, as the system writes it.
std::string allowed_cores() {
  std::ifstream status("/proc/thread-self/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("Cpus_allowed:")) {
  }
  return line + '\n';
}

TEST_F(DetachedProcess, IsNotPinnedToTheProgramsCore) {
  cpu_set_t before, all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  std::memset(&all, 0xff, sizeof all);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  const std::string allowed = allowed_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(output_of("grep Cpus_allowed: /proc/self/status"), allowed);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_F(DetachedProcess, IsNotHeldToTheProgramsSoftLimits) {
  const SoftLimit time(RLIMIT_CPU, 1 << 20), file_bytes(RLIMIT_FSIZE, 1 << 20),
      descriptors(RLIMIT_NOFILE, 100);
  EXPECT_EQ(output_of("for of in t f n v d; do\n"
                      "  [ $(ulimit -S -$of) = $(ulimit -H -$of) ] || echo $of\n"
                      "done"),
            "");
}

TEST_F(DetachedProcess, SaysWhyAProgramDoesNotStart) {
  EXPECT_THAT(spawn_detached("/no/such/program", {"it"}, {}),
              FailsWith(StatusCode::kNotFound, HasSubstr("/no/such/program")));
  folder_.write("text", "not a program");
  EXPECT_THAT(spawn_detached((folder_.path() / "text").string(), {"it"}, {}),
              FailsWith(StatusCode::kUnavailable, HasSubstr("ermission")));
}

TEST(ScrubbedEnvironment, KeepsWhatProgramsNeedAndDropsWhatChangesLoading) {
  setenv("LD_PRELOAD_OF_A_TEST", "x", 1);
  setenv("TRIODE_OF_A_TEST", "y", 1);
  const std::vector<std::string> kept = scrubbed_environment();
  EXPECT_THAT(kept, testing::Contains("TRIODE_OF_A_TEST=y"));
  EXPECT_THAT(kept, testing::Each(Not(testing::StartsWith("LD_"))));
  unsetenv("LD_PRELOAD_OF_A_TEST");
  unsetenv("TRIODE_OF_A_TEST");
}

}  // namespace
}  // namespace triode::host
