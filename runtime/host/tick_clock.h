// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode::host {

// How long a tick of the processor's time stamp counter is, measured over the time since it was
// made: good to a part in a thousand after some milliseconds.
class TickClock {
 public:
  TickClock();

  double nanoseconds_per_tick() const;

 private:
  uint64_t start_ticks_;
  int64_t start_ns_;
};

}  // namespace triode::host
