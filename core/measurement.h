// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/config.h"
#include "core/outcome.h"

namespace triode {

// Where the operands were when the clock started.
enum class CacheState : uint8_t { kWarm, kCold };

// One timing: the mean time of one call over `repeats` back-to-back calls.
struct Sample {
  std::chrono::duration<double, std::nano> per_call{};
  int32_t repeats = 1;
};

// Summary of samples of one thing. Times are per call.
struct Measurement {
  double median_ns = 0;
  double min_ns = 0;
  // Half the distance between the quartiles, as a share of the median: 0.01 is a steady
  // measurement.
  double spread = 0;
  int32_t count = 0;

  bool operator==(const Measurement&) const = default;
};

// Order of the samples does not matter. No samples give a zero count.
Measurement summarize(std::span<const Sample> samples);

double median_of(std::vector<double> values);  // not empty

// Half the interquartile range over the median. One value has spread 0.
double spread_of(std::vector<double> values);

// A candidate and the vendor's kernel timed alternately, so that what disturbs one disturbs the
// other.
struct PairMeasurement {
  Measurement candidate;
  Measurement vendor;
  double speedup = 0;         // median over rounds of vendor time / candidate time
  double speedup_spread = 0;  // spread of those ratios
  int32_t rejected = 0;       // rounds dropped because the thread was interrupted
  CacheState cache_state = CacheState::kWarm;
};

// A config tried once on a problem.
struct Trial {
  Config config;
  Outcome outcome;
  Measurement measurement;  // of a trial that ended ok or unstable
};

}  // namespace triode
