// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/clock.h"
#include "runtime/device/interruption_counter.h"

namespace triode {

// A machine on which time passes only when a contender says so, and which is interrupted when told.
// The clock and the counter of a timing under test.
class FakeMachine final : public Clock, public InterruptionCounter {
 public:
  std::chrono::nanoseconds now() const override { return now_ += time_to_read_; }
  int64_t preemptions() const override { return preemptions_; }
  std::chrono::nanoseconds waited() const override { return waited_; }
  int64_t stolen_ticks() const override { return stolen_ticks_; }

  // Lets every reading of the clock take this long, for contenders that know nothing of it.
  void set_time_to_read(std::chrono::nanoseconds time) { time_to_read_ = time; }

  void pass(std::chrono::nanoseconds time) { now_ += time; }
  void preempt() { ++preemptions_; }
  // Preempts, and keeps the core away for so long.
  void keep_waiting(std::chrono::nanoseconds time) {
    preempt();
    pass(time);
    waited_ += time;
  }
  void steal() { ++stolen_ticks_; }

  // A contender each of whose calls takes this long.
  std::function<void()> steady(std::chrono::nanoseconds time);
  // One whose calls take these times in turn.
  std::function<void()> varying(std::vector<std::chrono::nanoseconds> times);

 private:
  mutable std::chrono::nanoseconds now_{1000};
  std::chrono::nanoseconds time_to_read_{0};
  int64_t preemptions_ = 0;
  std::chrono::nanoseconds waited_{0};
  int64_t stolen_ticks_ = 0;
};

}  // namespace triode
