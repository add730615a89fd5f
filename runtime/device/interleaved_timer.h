// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/clock.h"
#include "runtime/device/interruption_counter.h"

namespace triode {

struct InterleavedOptions {
  std::chrono::nanoseconds budget =
      std::chrono::milliseconds(50);  // wall time, calibration included
  // One sample repeats its call until it lasts about this long. Raising it drowns the cost of
  // reading the clock (50 ns of 20 us is 0.3 %), and makes a round more likely to be interrupted.
  std::chrono::nanoseconds min_sample = std::chrono::microseconds(20);
  double target_spread =
      0.01;            // stop once every ratio to the first contender is steadier than this
  int min_rounds = 5;  // rounds taken whatever the budget
  int max_rounds = 200;
  int max_repeats = 1 << 20;  // calls in one sample, at most
  // Share of a sample for which its thread may have waited for a core, and still count. 0: one
  // preemption rejects the round. For contenders that keep all cores busy, where the system's own
  // errands preempt each of them many times a second, for microseconds: then every round would go.
  double tolerated_wait = 0;
  bool warms_up = true;  // an untimed call before each sample; false if before_sample makes it
  // Called with the contender and its repeats before each sample, off the clock and after the
  // warm-up call: where a cold timing empties the caches.
  std::function<void(size_t contender, int repeats)> before_sample;
  // Asked before each sample, off the clock; true ends the timing without a result, and is not
  // asked again. Empty: never.
  std::function<bool()> should_stop;
  const Clock* clock = nullptr;                        // null: the machine's
  const InterruptionCounter* interruptions = nullptr;  // null: the kernel's
};

struct InterleavedTimes {
  // Time of one call of each contender in each round that counts: rounds_ns[round][contender], in
  // the order taken.
  std::vector<std::vector<double>> rounds_ns;
  std::vector<int> repeats;  // calls in one sample of each contender
  int rounds = 0;            // taken, counted or not
  int rejected = 0;          // of those, interrupted
  // False if there were fewer than min_rounds without an interruption, so that the min_rounds least
  // interrupted ones had to count.
  bool is_undisturbed = true;
  bool is_stopped = false;  // by should_stop; nothing else is said then

  // Times of one contender, by round; and of one over another, within each round.
  std::vector<double> times_of(size_t contender) const;
  std::vector<double> ratios(size_t numerator, size_t denominator) const;
};

// Times the contenders against each other on the calling thread. Every round takes one sample of
// each, in an order that changes from round to round so that none always follows the same other;
// each sample follows an untimed call of its own, which brings back what the contender before it
// pushed out of the caches. Rounds in which the thread was interrupted (for longer than
// tolerated_wait) are rejected. Only what runs on the calling thread can be seen to be interrupted:
// a contender's own threads cannot; and its sleep, while they work, is no interruption.
InterleavedTimes time_interleaved(std::span<const std::function<void()>> contenders,
                                  const InterleavedOptions& options);

}  // namespace triode
