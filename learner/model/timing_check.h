// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace triode {

// Whether a timing may teach the model.
enum class TimingVerdict : uint8_t {
  kUsable,
  kNotFinite,
  kNotPositive,
  kFasterThanPossible,  // beyond the device's limit for the problem
  kAbsurdlySlow,        // a stopped machine or a wrong unit, not a slow kernel
};
inline constexpr size_t kTimingVerdicts = 5;

std::string_view to_string(TimingVerdict verdict);  // "usable", "not finite", ...

// `roof_s` is FeatureExtractor::roof_s of the problem, `launch_s` the part of it that is not work.
TimingVerdict check_timing(double seconds, double roof_s, double launch_s);

// How many timings were met, by verdict.
struct TimingCounts {
  std::array<uint64_t, kTimingVerdicts> by_verdict{};

  void add(TimingVerdict verdict) { ++by_verdict[static_cast<size_t>(verdict)]; }
  uint64_t refused() const;
};

}  // namespace triode
