// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/recent_rate.h"

namespace triode::tuner {
namespace {

int64_t second_of(std::chrono::nanoseconds time) {
  return std::chrono::floor<std::chrono::seconds>(time).count();
}

}  // namespace

void RecentRate::count(std::chrono::nanoseconds now) {
  const int64_t second = second_of(now);
  Slot& slot = slots_[static_cast<size_t>((second % kSeconds + kSeconds) % kSeconds)];
  if (slot.second != second) slot = {second, 0};
  ++slot.events;
}

double RecentRate::per_second(std::chrono::nanoseconds now) const {
  const int64_t second = second_of(now);
  uint64_t events = 0;
  for (const Slot& slot : slots_) {
    if (slot.second > second - kSeconds && slot.second <= second) events += slot.events;
  }
  return static_cast<double>(events) / static_cast<double>(kSeconds);
}

}  // namespace triode::tuner
