// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/clock.h"

namespace triode {

// Advances by a fixed time whenever it is asked.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(std::chrono::nanoseconds step) : step_(step) {}
  std::chrono::nanoseconds now() const override { return now_ += step_; }

 private:
  std::chrono::nanoseconds step_;
  mutable std::chrono::nanoseconds now_{0};
};

}  // namespace triode
