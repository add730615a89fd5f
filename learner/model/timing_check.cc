// SPDX-License-Identifier: Apache-2.0
#include "learner/model/timing_check.h"

#include <algorithm>
#include <cmath>

namespace triode {
namespace {

// The peaks of a device table are known to some 10%, and operands that stay in a cache are read
// faster than memory allows. The fastest of 76,000 recorded timings is at 0.9 of the limit.
constexpr double kLeastShareOfRoof = 0.2;

// The slowest of them, a long thin product on a config without parallelism, is at 4,800.
constexpr double kMostTimesRoof = 1e5;

}  // namespace

std::string_view to_string(TimingVerdict verdict) {
  constexpr std::array<std::string_view, kTimingVerdicts> kNames = {
      "usable", "not finite", "not positive", "faster than the device can be", "absurdly slow"};
  return kNames[static_cast<size_t>(verdict)];
}

TimingVerdict check_timing(double seconds, double roof_s, double launch_s) {
  if (!std::isfinite(seconds)) return TimingVerdict::kNotFinite;
  if (seconds <= 0) return TimingVerdict::kNotPositive;
  if (seconds < kLeastShareOfRoof * (roof_s - launch_s)) return TimingVerdict::kFasterThanPossible;
  if (seconds > kMostTimesRoof * roof_s) return TimingVerdict::kAbsurdlySlow;
  return TimingVerdict::kUsable;
}

uint64_t TimingCounts::refused() const {
  uint64_t sum = 0;
  for (size_t i = 1; i < by_verdict.size(); ++i) sum += by_verdict[i];
  return sum;
}

}  // namespace triode
