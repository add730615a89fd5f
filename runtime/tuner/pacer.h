// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "core/clock.h"
#include "runtime/tuner/pace.h"

namespace triode::tuner {

// Rests between trials, so that a search takes what the machine has to spare; and a clock that
// stands still meanwhile, so that budgets count work alone. now() is for any thread, the rest for
// one.
class Pacer final : public Clock {
 public:
  // Sleeps so long, or less if there is a reason to.
  using Rest = std::function<void(std::chrono::nanoseconds)>;
  // What all our processes have had of the cores so far.
  using CpuTime = std::function<std::chrono::nanoseconds()>;

  // Clock and load must outlive this.
  Pacer(const Clock& clock, MachineLoad& load, CpuTime cpu_time, PaceOptions options, Rest rest);

  std::chrono::nanoseconds now() const override {
    return clock_.now() - std::chrono::nanoseconds(rested_ns_.load());
  }

  // Cores that others left free when it was looked last, our own among them; 1 before that. Any
  // thread.
  double free_cores() const { return free_cores_.load(std::memory_order_relaxed); }

  // A search begins after a while without work.
  void begin();
  // Between two trials. Returns at once unless some 50 ms were worked since the last rest. On a
  // full machine what is free is what we had ourselves; each rest lowers that, down to the least
  // share.
  void breathe();

 private:
  const Clock& clock_;
  MachineLoad& load_;
  const PaceOptions options_;
  const CpuTime cpu_time_;
  const Rest rest_;
  std::atomic<int64_t> rested_ns_{0};
  std::atomic<double> free_cores_{1};
  std::chrono::nanoseconds worked_until_;  // by now()
  std::chrono::nanoseconds looked_at_;     // by the clock
  std::chrono::nanoseconds used_;          // of the cores, until then
};

}  // namespace triode::tuner
