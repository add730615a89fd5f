// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace triode {

// Source of time, so that decisions that depend on it can be tested without waiting.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::nanoseconds now() const = 0;  // monotonic; only differences mean anything
};

// The machine's monotonic clock. Lives for the whole process.
const Clock& steady_clock();

}  // namespace triode
