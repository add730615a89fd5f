// SPDX-License-Identifier: Apache-2.0
// Hosts that are processes: many at once, some of which die while they wait, and one of another
// user.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/tuner/messages.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"
#include "tests/tuner/serving_tuner.h"

namespace triode::tuner {
namespace {

constexpr std::chrono::milliseconds kPatience(30000);  // far more than anything here takes
constexpr int kClients = 64;
constexpr int64_t kCalls = 8;  // that they make, so that eight wait for each

// Children that are made before there is any thread, and begin when they are told to.
class Children {
 public:
  Children() { EXPECT_EQ(pipe(start_), 0); }
  void add(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      close(start_[1]);
      char byte = 0;
      [[maybe_unused]] const ssize_t got = read(start_[0], &byte, 1);  // the end of the pipe
      _exit(work());
    }
    ids_.push_back(child);
  }
  void start() {
    close(start_[0]);
    close(start_[1]);
  }
  // Exit codes, in the order of add(); -1 for one that was killed.
  std::vector<int> wait() {
    std::vector<int> codes;
    for (const pid_t child : ids_) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return codes;
  }

 private:
  int start_[2];
  std::vector<pid_t> ids_;
};

// Without the look at whose the other end is.
FileDescriptor connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  FileDescriptor made(socket(AF_UNIX, SOCK_STREAM, 0));
  const auto* const general = reinterpret_cast<const sockaddr*>(&address);
  return connect(made.number(), general, sizeof address) == 0 ? std::move(made)
                                                              : FileDescriptor(-1);
}

class ClientProcesses : public ::testing::Test {
 protected:
  // 0: it got its plan.
  int ask(int64_t size, bool dies) const {
    Connection connection = ServingTuner::greeted(serving_.place(), sample_target(), nullptr);
    const Reports reports{{ProblemReport{size, sample_call(size), {10, 1e7, 0, 0}}}};
    if (!connection.send(to_frame(reports)).ok()) return 1;
    if (dies) raise(SIGKILL);
    const auto frame = connection.receive_within(kPatience);
    if (!frame.ok()) return 2;
    const auto verdict = from_frame<Verdict>(*frame);
    return verdict.ok() && verdict->id == size && verdict->plan.size() == 1 ? 0 : 3;
  }

  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  ServingTuner serving_{
      {.ranker = ranker_,
       .runner = runner_,
       .clock = clock_,
       .space_of = [](const Target&, const Problem&) -> Result<Space> { return model_space(); },
       .search = {}}};
};

TEST_F(ClientProcesses, SixtyFourAtOnceAreServedByOneSearchForEachCall) {
  Children children;
  for (int64_t i = 0; i < kClients; ++i)
    children.add([&, i] { return ask(16 + i % kCalls, false); });
  serving_.start();
  serving_.tune_on_a_thread();
  children.start();
  EXPECT_EQ(children.wait(), std::vector<int>(kClients, 0));
  serving_.stop();
  EXPECT_EQ(runner_.begun, kCalls);
}

TEST_F(ClientProcesses, ThoseThatDieWhileTheyWaitHarmNobody) {
  Children children;
  std::vector<int> expected;
  for (int64_t i = 0; i < kClients; ++i) {
    const bool dies = i % 3 == 0;
    children.add([&, i, dies] { return ask(16 + i % kCalls, dies); });
    expected.push_back(dies ? -1 : 0);
  }
  serving_.start();
  serving_.tune_on_a_thread();
  children.start();
  EXPECT_EQ(children.wait(), expected);
}

TEST_F(ClientProcesses, OneOfAnotherUserIsRefusedEvenWhereItCanReachTheSocket) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr uid_t kNobody = 65534;
  Children children;
  children.add([&] {
    if (setuid(kNobody) != 0) return 1;
    FileDescriptor socket = connected_to(serving_.place().socket);
    if (!socket.is_open()) return 2;
    Connection connection(std::move(socket), kMostAnswerBytes);
    (void)connection.send(to_frame(Control{true}));  // may be closed under us by then
    const auto frame = connection.receive_within(kPatience);
    if (!frame.ok()) return 3;
    const auto refusal = from_frame<Refusal>(*frame);
    return refusal.ok() && refusal->reason.find("another user") != std::string::npos ? 0 : 4;
  });
  serving_.start();
  serving_.tune_on_a_thread();
  // As if the folders had been opened to others by mistake.
  const std::filesystem::path socket = serving_.place().socket;
  chmod(socket.parent_path().c_str(), 0755);
  chmod(socket.parent_path().parent_path().c_str(), 0755);
  chmod(socket.c_str(), 0666);
  children.start();
  EXPECT_EQ(children.wait(), std::vector<int>{0});
  // It is not stopped, and goes on serving its own user.
  ServingTuner::greeted(serving_.place(), sample_target(), nullptr);
}

}  // namespace
}  // namespace triode::tuner
