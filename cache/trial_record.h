// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/measurement.h"
#include "core/outcome.h"

namespace triode {

// What is kept of a trial: how it ended, how long a call took, and when. Its config, problem and
// target are its key.
struct TrialRecord {
  Outcome outcome;
  Measurement measurement;  // no samples (count 0) if it did not run
  int64_t when_unix_s = 0;  // end of the trial, in seconds since 1970; the caller's clock

  bool operator==(const TrialRecord&) const = default;
};

}  // namespace triode
