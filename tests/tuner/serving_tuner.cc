// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/serving_tuner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

namespace triode::tuner {
namespace {

constexpr std::chrono::milliseconds kPatience(20000);  // far more than anything here takes

MeetingPlace place_in(const TemporaryFolder& folder) {
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  MeetingPlace place = find_meeting_place((folder.path() / "cache").string()).value();
  unsetenv("XDG_RUNTIME_DIR");
  return place;
}

}  // namespace

ServingTuner::ServingTuner(Parts parts)
    : status_(parts.status),
      place_(place_in(folder_)),
      book_((folder_.path() / "host.plans").string()),
      tuner_({.ranker = parts.ranker,
              .runner = parts.runner,
              .log = *log_,
              .book = book_,
              .events = events_,
              .clock = parts.clock,
              .space_of = parts.space_of,
              .deliver =
                  [this, delivers = parts.delivers](ClientId client, const Verdict& verdict) {
                    if (delivers(verdict)) server_->deliver(client, verdict);
                  }},
             parts.search) {}

void ServingTuner::start() {
  server_ =
      std::make_unique<Server>(std::move(listen_for_hosts(place_)).take(), tuner_,
                               ServerOptions{.hello_limit = kPatience}, [this] { return status_; });
  serving_ = std::thread([this] {
    EXPECT_TRUE(server_->run(-1).ok());
    has_ended_ = true;
  });
}

void ServingTuner::tune_on_a_thread() {
  tuning_ = std::thread([this] {
    while (!stops_) {
      if (!tuner_.step([this] { return stops_.load(); })) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  });
}

ServingTuner::~ServingTuner() {
  stop();
}

void ServingTuner::stop() {
  if (server_) server_->end();
  if (serving_.joinable()) serving_.join();
  stops_ = true;
  if (tuning_.joinable()) tuning_.join();
}

Connection ServingTuner::greeted(const MeetingPlace& place, const Target& target, size_t* plans) {
  Connection connection(std::move(connect_to_tuner(place)).take(), kMostAnswerBytes);
  EXPECT_TRUE(connection.send(to_frame(Hello{"1", getpid(), "program", target})).ok());
  EXPECT_TRUE(from_frame<Welcome>(connection.receive_within(kPatience).value()).ok());
  size_t count = 0;
  for (bool has_more = true; has_more;) {
    const Plans known = from_frame<Plans>(connection.receive_within(kPatience).value()).value();
    count += known.plans.size();
    has_more = known.has_more;
  }
  if (plans != nullptr) *plans = count;
  return connection;
}

}  // namespace triode::tuner
