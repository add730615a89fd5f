// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;

struct Ends {
  FileDescriptor first, second;
};

Ends make_ends() {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

TEST(Connection, CarriesFramesBothWays) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000), other(std::move(ends.second), 1000);
  ASSERT_TRUE(one.send({1, 5, "there"}).ok());
  ASSERT_TRUE(other.send({1, 6, "back"}).ok());
  EXPECT_EQ(other.receive().value()->payload, "there");
  EXPECT_EQ(one.receive_within(milliseconds(1000)).value().payload, "back");
}

TEST(Connection, HasNothingWhereNothingCame) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  EXPECT_EQ(one.receive().value(), std::nullopt);
  EXPECT_EQ(one.receive_within(milliseconds(1)).status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(one.is_closed());
}

TEST(Connection, ReturnsWhatCameBeforeThePeerWent) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  {
    Connection other(std::move(ends.second), 1000);
    ASSERT_TRUE(other.send({1, 5, "last"}).ok());
  }
  EXPECT_EQ(one.receive().value()->payload, "last");
  EXPECT_EQ(one.receive().status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(one.is_closed());
}

TEST(Connection, SendsToAPeerThatIsGoneWithoutASignal) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  { const FileDescriptor gone = std::move(ends.second); }
  EXPECT_EQ(one.send({1, 5, "nobody"}).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(one.is_closed());
}

TEST(Connection, ReturnsWhatCameBeforeThePeerWentAfterASendThatFailed) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  {
    Connection other(std::move(ends.second), 1000);
    ASSERT_TRUE(other.send({1, 5, "refused"}).ok());
  }
  EXPECT_EQ(one.send({1, 6, "too late"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(one.receive_within(milliseconds(1)).value().payload, "refused");
  EXPECT_EQ(one.receive().status().code(), StatusCode::kUnavailable);
}

TEST(Connection, CutMidMessageIsAnEndAndNotAFrame) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  {
    const FileDescriptor cut = std::move(ends.second);
    const std::string bytes = to_bytes({1, 5, "never whole"});
    ASSERT_GT(::write(cut.number(), bytes.data(), bytes.size() - 3), 0);
  }
  EXPECT_EQ(one.receive().status().code(), StatusCode::kUnavailable);
}

TEST(Connection, GivesUpAPeerThatDoesNotRead) {
  Ends ends = make_ends();
  Connection one(std::move(ends.first), 1000);
  const Frame large{1, 5, std::string(8 << 20, 'x')};
  Status sent;
  for (int i = 0; i < 20 && sent.ok(); ++i) sent = one.send(large);
  EXPECT_EQ(sent.code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace triode::tuner
