// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"
#include "tests/tuner/serving_tuner.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr milliseconds kPatience(20000);  // far more than anything here takes

// A tuner that serves a socket on one thread and searches on another, with model trials.
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    serving_.start();
    serving_.tune_on_a_thread();
  }

  FileDescriptor connect_socket() { return std::move(connect_to_tuner(serving_.place())).take(); }
  Connection connect() { return Connection(connect_socket(), kMostAnswerBytes); }
  static Hello hello() { return {"1", 1, "program", sample_target()}; }

  // More than a socket takes at once.
  static StatusAnswer long_status() {
    StatusAnswer status;
    status.log = std::string(kMostTextBytes, 'x');
    return status;
  }

  // A host that has been welcomed; how many plans it got.
  Connection greeted(size_t* plans = nullptr) {
    return ServingTuner::greeted(serving_.place(), sample_target(), plans);
  }
  static Verdict ask(Connection& connection, int64_t size) {
    const Reports reports{{ProblemReport{size, sample_call(size), {10, 1e7, 0, 0}}}};
    EXPECT_TRUE(connection.send(to_frame(reports)).ok());
    return from_frame<Verdict>(connection.receive_within(kPatience).value()).value();
  }
  static std::string refusal_of(Connection& connection) {
    const auto frame = connection.receive_within(kPatience);
    if (!frame.ok()) return "";
    const auto refusal = from_frame<Refusal>(*frame);
    return refusal.ok() ? refusal->reason : "";
  }

  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  ServingTuner serving_{
      {.ranker = ranker_,
       .runner = runner_,
       .clock = clock_,
       .space_of = [](const Target&, const Problem&) -> Result<Space> { return model_space(); },
       .search = {},
       .delivers = [](const Verdict&) { return true; },
       .status = long_status()}};
};

TEST_F(ServerTest, WelcomesAHostAndPushesItsPlan) {
  size_t plans = 1;
  Connection connection = greeted(&plans);
  EXPECT_EQ(plans, 0u);
  const Verdict verdict = ask(connection, 16);
  EXPECT_EQ(verdict.id, 16);
  EXPECT_THAT(verdict.plan, SizeIs(1));
}

TEST_F(ServerTest, ASecondHostIsWarmAtOnce) {
  Connection first = greeted();
  ask(first, 16);
  size_t plans = 0;
  greeted(&plans);
  EXPECT_EQ(plans, 1u);
}

TEST_F(ServerTest, ServesManyHostsAtOnce) {
  std::vector<std::thread> hosts;
  std::atomic<int> served{0};
  for (int64_t i = 0; i < 64; ++i) {
    hosts.emplace_back([&, i] {
      Connection connection = greeted();
      if (ask(connection, 16 + i % 8).plan.size() == 1) ++served;
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(served, 64);
  EXPECT_EQ(runner_.begun, 8);
}

TEST_F(ServerTest, RefusesAnotherVersionAndSaysSo) {
  Connection connection = connect();
  Frame frame = to_frame(hello());
  frame.version = 99;
  ASSERT_TRUE(connection.send(frame).ok());
  EXPECT_THAT(refusal_of(connection), HasSubstr("version 99"));
  EXPECT_EQ(connection.receive_within(kPatience).status().code(), StatusCode::kUnavailable);
}

TEST_F(ServerTest, RefusesOneWhoDoesNotSayHello) {
  Connection connection = connect();
  ASSERT_TRUE(connection.send(to_frame(Reports{})).ok());
  EXPECT_THAT(refusal_of(connection), HasSubstr("before any hello"));
}

TEST_F(ServerTest, RefusesATooLongMessage) {
  const FileDescriptor socket = connect_socket();
  const Frame large{kProtocolVersion, 2, std::string(kMostRequestBytes + 1, 'x')};
  const std::string bytes = to_bytes(large).substr(0, 100);
  ASSERT_EQ(write(socket.number(), bytes.data(), bytes.size()), 100);
  Connection connection(FileDescriptor(dup(socket.number())), kMostAnswerBytes);
  EXPECT_THAT(refusal_of(connection), HasSubstr("at most"));
}

TEST_F(ServerTest, OutlivesHostsThatSendNonsenseOrDieMidMessage) {
  Random random(5);
  const std::string good =
      to_bytes(to_frame(hello())) +
      to_bytes(to_frame(Reports{{ProblemReport{1, sample_call(9), {1, 1e7, 0, 0}}}}));
  for (int round = 0; round < 200; ++round) {
    const FileDescriptor socket = connect_socket();
    std::string bytes = good.substr(0, 1 + random.below(good.size()));
    for (int i = 0; i < 3; ++i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    // May be closed under us by then.
    (void)send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  Connection connection = greeted();
  EXPECT_THAT(ask(connection, 16).plan, SizeIs(1));
}

TEST_F(ServerTest, AHostThatDiesWhileItsCallIsTunedHarmsNobody) {
  for (int64_t i = 0; i < 20; ++i) {
    Connection connection = greeted();
    const Reports reports{{ProblemReport{1, sample_call(30 + i), {10, 1e7, 0, 0}}}};
    ASSERT_TRUE(connection.send(to_frame(reports)).ok());
  }
  Connection connection = greeted();
  EXPECT_THAT(ask(connection, 16).plan, SizeIs(1));
}

TEST_F(ServerTest, WaitsForNoCommandThatDoesNotReadItsAnswer) {
  Connection command = connect();
  ASSERT_TRUE(command.send(to_frame(Control{false})).ok());
  Connection host = greeted();
  EXPECT_THAT(ask(host, 16).plan, SizeIs(1));
  // Late, and yet all of it, and no reproach.
  EXPECT_TRUE(from_frame<StatusAnswer>(command.receive_within(kPatience).value()).ok());
  ASSERT_TRUE(command.send(to_frame(Control{false})).ok());
  EXPECT_TRUE(from_frame<StatusAnswer>(command.receive_within(kPatience).value()).ok());
}

TEST_F(ServerTest, StopsForOneThatDoesNotReadItsAnswerToo) {
  Connection command = connect();
  ASSERT_TRUE(command.send(to_frame(Control{true})).ok());
  while (!serving_.has_ended()) std::this_thread::sleep_for(milliseconds(1));
}

// Lowers the limit to the descriptors that are open, for as long as it lives.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const FileDescriptor next(dup(0));
    const rlimit low{static_cast<rlim_t>(next.number()), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  ~NoDescriptorLeft() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST_F(ServerTest, WhoComesWhenNoDescriptorIsLeftIsServedWhenOneLeaves) {
  std::optional<Connection> first = greeted();
  Connection second(FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
                    kMostAnswerBytes);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  serving_.place().socket.copy(address.sun_path, sizeof address.sun_path - 1);
  const NoDescriptorLeft limit;
  ASSERT_EQ(::connect(second.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address),
            0);
  ASSERT_TRUE(second.send(to_frame(hello())).ok());
  EXPECT_THAT(ask(*first, 16).plan, SizeIs(1)) << "the others do not notice";
  first.reset();
  EXPECT_TRUE(from_frame<Welcome>(second.receive_within(kPatience).value()).ok());
}

TEST_F(ServerTest, AnswersCommandsAndStopsWhenTold) {
  {
    Connection command = connect();
    ASSERT_TRUE(command.send(to_frame(Control{false})).ok());
    EXPECT_TRUE(from_frame<StatusAnswer>(command.receive_within(kPatience).value()).ok());
  }
  EXPECT_FALSE(serving_.has_ended());
  Connection command = connect();
  ASSERT_TRUE(command.send(to_frame(Control{true})).ok());
  EXPECT_TRUE(command.receive_within(kPatience).ok());
  while (!serving_.has_ended()) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace
}  // namespace triode::tuner
