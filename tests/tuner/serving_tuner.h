// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "runtime/tuner/connection.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/server.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/tuner.h"
#include "tests/runtime/temporary_folder.h"

namespace triode::tuner {

// A tuner at a socket, in a folder of its own, with trials that it is given. It is served by a
// thread; the test takes its steps, or lets another thread take them.
class ServingTuner {
 public:
  struct Parts {
    Ranker& ranker;
    TrialRunner& runner;
    const Clock& clock;
    std::function<Result<Space>(const Target&, const Problem&)> space_of;
    ProblemSearchOptions search;
    // Asked before a verdict goes out; false: it does not.
    std::function<bool(const Verdict&)> delivers = [](const Verdict&) { return true; };
    StatusAnswer status = {};
  };

  // Before start() there is no thread, so that a test may fork.
  explicit ServingTuner(Parts parts);
  ServingTuner(const ServingTuner&) = delete;
  ServingTuner& operator=(const ServingTuner&) = delete;
  ~ServingTuner();

  void start();
  void tune_on_a_thread();
  // Ends both threads: what they wrote may be read.
  void stop();

  const MeetingPlace& place() const { return place_; }
  Tuner& tuner() { return tuner_; }
  // Whether nobody is served any more.
  bool has_ended() const { return has_ended_; }

  // A host that was welcomed; how many plans it got goes to `plans`.
  static Connection greeted(const MeetingPlace& place, const Target& target, size_t* plans);

 private:
  const StatusAnswer status_;
  TemporaryFolder folder_;
  MeetingPlace place_;
  std::unique_ptr<TrialLog> log_ = no_stored_trials();
  PlanBook book_;
  EventLog events_{""};
  Tuner tuner_;
  std::unique_ptr<Server> server_;
  std::thread serving_, tuning_;
  std::atomic<bool> stops_{false}, has_ended_{false};
};

}  // namespace triode::tuner
