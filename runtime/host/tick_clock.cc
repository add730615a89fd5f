// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tick_clock.h"

#include <x86intrin.h>

#include "core/clock.h"

namespace triode::host {
namespace {

// Until so much time has passed the two clocks' own grain shows; the counter of every processor
// with AVX2 runs at 1 to 5 GHz, so this guess is off by a factor of two at most.
constexpr int64_t kTooSoonNs = 100'000;
constexpr double kGuess = 0.4;

}  // namespace

TickClock::TickClock() : start_ticks_(__rdtsc()), start_ns_(steady_clock().now().count()) {}

double TickClock::nanoseconds_per_tick() const {
  const int64_t passed_ns = steady_clock().now().count() - start_ns_;
  const uint64_t passed_ticks = __rdtsc() - start_ticks_;
  if (passed_ns < kTooSoonNs || passed_ticks == 0) return kGuess;
  return static_cast<double>(passed_ns) / static_cast<double>(passed_ticks);
}

}  // namespace triode::host
