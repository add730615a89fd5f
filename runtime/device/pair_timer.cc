// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/pair_timer.h"

#include <array>
#include <utility>

namespace triode {
namespace {

Measurement measurement_of(const InterleavedTimes& times, size_t contender) {
  std::vector<Sample> samples;
  samples.reserve(times.rounds_ns.size());
  for (const double ns : times.times_of(contender)) {
    samples.push_back({std::chrono::duration<double, std::nano>(ns), times.repeats[contender]});
  }
  return summarize(samples);
}

}  // namespace

Result<PairMeasurement> time_pair(const std::function<void()>& candidate,
                                  const std::function<void()>& vendor, const TimingOptions& timing,
                                  InterleavedOptions options) {
  options.budget = timing.budget;
  options.target_spread = timing.target_spread;
  options.min_rounds = timing.min_rounds;
  options.max_rounds = timing.max_rounds;
  options.should_stop = timing.should_stop;
  const std::array contenders{candidate, vendor};
  const InterleavedTimes times = time_interleaved(contenders, options);
  if (times.is_stopped) return unavailable("The timing was stopped.");
  const std::vector<double> speedups = times.ratios(1, 0);

  PairMeasurement pair;
  pair.candidate = measurement_of(times, 0);
  pair.vendor = measurement_of(times, 1);
  pair.speedup = median_of(speedups);
  pair.speedup_spread = spread_of(speedups);
  pair.rejected = times.rejected;
  pair.cache_state = timing.cache_state;
  return pair;
}

}  // namespace triode
