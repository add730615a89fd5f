// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

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
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    place_ = find_meeting_place((folder_.path() / "cache").string()).value();
    server_ = std::make_unique<Server>(std::move(listen_for_hosts(place_)).take(), tuner_,
                                       ServerOptions{.idle_limit = idle_limit_},
                                       [] { return StatusAnswer{}; });
    serving_ = std::thread([this] {
      EXPECT_TRUE(server_->run(stop_.number()).ok());
      has_ended_ = true;
    });
    tuning_ = std::thread([this] {
      while (!stops_) {
        if (!tuner_.step([this] { return stops_.load(); })) {
          std::this_thread::sleep_for(milliseconds(1));
        }
      }
    });
  }
  ~ServerTest() override {
    const uint64_t one = 1;
    EXPECT_EQ(write(stop_.number(), &one, sizeof one), 8);
    serving_.join();
    stops_ = true;
    tuning_.join();
    unsetenv("XDG_RUNTIME_DIR");
  }

  Connection connect() {
    return Connection(std::move(connect_to_tuner(place_)).take(), kMostAnswerBytes);
  }
  static Hello hello() { return {"1", 1, "program", sample_target()}; }

  // A host that has been welcomed; how many plans it got.
  static size_t greet(Connection& connection) {
    EXPECT_TRUE(connection.send(to_frame(hello())).ok());
    EXPECT_TRUE(from_frame<Welcome>(connection.receive_within(kPatience).value()).ok());
    return from_frame<Plans>(connection.receive_within(kPatience).value()).value().plans.size();
  }
  static Verdict ask(Connection& connection, int64_t size) {
    const Reports reports{{ProblemReport{size, sample_call(size), 10, 1e7}}};
    EXPECT_TRUE(connection.send(to_frame(reports)).ok());
    return from_frame<Verdict>(connection.receive_within(kPatience).value()).value();
  }
  static std::string refusal_of(Connection& connection) {
    const auto frame = connection.receive_within(kPatience);
    if (!frame.ok()) return "";
    const auto refusal = from_frame<Refusal>(*frame);
    return refusal.ok() ? refusal->reason : "";
  }

  const milliseconds idle_limit_ = std::chrono::minutes(5);
  TemporaryFolder folder_;
  MeetingPlace place_;
  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  std::unique_ptr<TrialLog> log_ = no_stored_trials();
  PlanBook book_{(folder_.path() / "host.plans").string()};
  EventLog events_{""};
  Tuner tuner_{
      {.ranker = ranker_,
       .runner = runner_,
       .log = *log_,
       .book = book_,
       .events = events_,
       .clock = clock_,
       .space_of = [](const Target&, const Problem&) -> Result<Space> { return model_space(); },
       .deliver = [this](ClientId client,
                         const Verdict& verdict) { server_->deliver(client, verdict); }},
      ProblemSearchOptions{}};
  FileDescriptor stop_{eventfd(0, EFD_CLOEXEC)};
  std::unique_ptr<Server> server_;
  std::thread serving_, tuning_;
  std::atomic<bool> stops_{false}, has_ended_{false};
};

TEST_F(ServerTest, WelcomesAHostAndPushesItsPlan) {
  Connection connection = connect();
  EXPECT_EQ(greet(connection), 0u);
  const Verdict verdict = ask(connection, 16);
  EXPECT_EQ(verdict.id, 16);
  EXPECT_THAT(verdict.plan, SizeIs(1));
}

TEST_F(ServerTest, ASecondHostIsWarmAtOnce) {
  Connection first = connect();
  greet(first);
  ask(first, 16);
  Connection second = connect();
  EXPECT_EQ(greet(second), 1u);
}

TEST_F(ServerTest, ServesManyHostsAtOnce) {
  std::vector<std::thread> hosts;
  std::atomic<int> served{0};
  for (int64_t i = 0; i < 64; ++i) {
    hosts.emplace_back([&, i] {
      Connection connection = connect();
      greet(connection);
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
  const FileDescriptor socket = std::move(connect_to_tuner(place_)).take();
  const Frame large{kProtocolVersion, 2, std::string(kMostRequestBytes + 1, 'x')};
  const std::string bytes = to_bytes(large).substr(0, 100);
  ASSERT_EQ(write(socket.number(), bytes.data(), bytes.size()), 100);
  Connection connection(FileDescriptor(dup(socket.number())), kMostAnswerBytes);
  EXPECT_THAT(refusal_of(connection), HasSubstr("at most"));
}

TEST_F(ServerTest, OutlivesHostsThatSendNonsenseOrDieMidMessage) {
  Random random(5);
  const std::string good = to_bytes(to_frame(hello())) +
                           to_bytes(to_frame(Reports{{ProblemReport{1, sample_call(9), 1, 1e7}}}));
  for (int round = 0; round < 200; ++round) {
    const FileDescriptor socket = std::move(connect_to_tuner(place_)).take();
    std::string bytes = good.substr(0, 1 + random.below(good.size()));
    for (int i = 0; i < 3; ++i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    // May be closed under us by then.
    (void)send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  Connection connection = connect();
  greet(connection);
  EXPECT_THAT(ask(connection, 16).plan, SizeIs(1));
}

TEST_F(ServerTest, AHostThatDiesWhileItsCallIsTunedHarmsNobody) {
  for (int64_t i = 0; i < 20; ++i) {
    Connection connection = connect();
    greet(connection);
    const Reports reports{{ProblemReport{1, sample_call(30 + i), 10, 1e7}}};
    ASSERT_TRUE(connection.send(to_frame(reports)).ok());
  }
  Connection connection = connect();
  greet(connection);
  EXPECT_THAT(ask(connection, 16).plan, SizeIs(1));
}

TEST_F(ServerTest, AnswersCommandsAndStopsWhenTold) {
  {
    Connection command = connect();
    ASSERT_TRUE(command.send(to_frame(Control{false})).ok());
    EXPECT_TRUE(from_frame<StatusAnswer>(command.receive_within(kPatience).value()).ok());
  }
  EXPECT_FALSE(has_ended_);
  Connection command = connect();
  ASSERT_TRUE(command.send(to_frame(Control{true})).ok());
  EXPECT_TRUE(command.receive_within(kPatience).ok());
  while (!has_ended_) std::this_thread::sleep_for(milliseconds(1));
}

}  // namespace
}  // namespace triode::tuner
