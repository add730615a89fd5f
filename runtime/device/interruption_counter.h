// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace triode {

// Counts what takes the processor away from a running thread. Only differences mean anything.
class InterruptionCounter {
 public:
  virtual ~InterruptionCounter() = default;

  // Times the calling thread was switched out while it wanted to run. Exact; cheap enough to be
  // asked around every round of a timing.
  virtual int64_t preemptions() const = 0;

  // Time the calling thread wanted to run and waited for a core, sleep not counted. A few
  // microseconds to ask. Stands still where the kernel does not keep it.
  virtual std::chrono::nanoseconds waited() const = 0;

  // Time the hypervisor gave to others while this machine wanted to run, over all cores, in ticks
  // of usually 10 ms. Too coarse and too slow (tens of microseconds) for a single round.
  virtual int64_t stolen_ticks() const = 0;
};

// The kernel's counters: getrusage and schedstat of the thread, and /proc/stat. One that cannot be
// read stands still. Lives for the whole process; any thread may ask.
const InterruptionCounter& kernel_interruptions();

}  // namespace triode
