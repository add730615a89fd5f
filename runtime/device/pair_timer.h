// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/device.h"
#include "core/measurement.h"
#include "core/status.h"
#include "runtime/device/interleaved_timer.h"

namespace triode {

// Times a candidate and the vendor's kernel alternately and sums the rounds up. The budget, spread
// and rounds are those of `timing`; the rest, such as clock and before_sample, those of `options`.
// `rejected` counts all interrupted rounds; where it and the count of the measurements make more
// than the rounds taken, interrupted ones had to be kept because too few others were there.
// kUnavailable if timing.should_stop ended it.
Result<PairMeasurement> time_pair(const std::function<void()>& candidate,
                                  const std::function<void()>& vendor, const TimingOptions& timing,
                                  InterleavedOptions options = {});

}  // namespace triode
