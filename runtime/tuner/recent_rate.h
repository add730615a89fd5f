// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace triode::tuner {

// Events a second, over the last ten seconds. Not thread-safe. Time may stand still; where it goes
// back, what came after is forgotten.
class RecentRate {
 public:
  void count(std::chrono::nanoseconds now);
  double per_second(std::chrono::nanoseconds now) const;

 private:
  static constexpr int64_t kSeconds = 10;
  struct Slot {
    int64_t second = -1;
    uint64_t events = 0;
  };
  std::array<Slot, kSeconds> slots_;
};

}  // namespace triode::tuner
