// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/measurement.h"
#include "core/outcome.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

// What is tuned: a call as a host makes it, on the machine as that host sees it.
struct TunedCall {
  VendorCall call;
  Target target;
};

struct TrialResult {
  Outcome outcome;
  Measurement measurement;  // quick, of the config alone; count 0 unless the outcome is ok
  uint64_t code_digest = 0;
};

struct CheckResult {
  Outcome outcome;
  uint64_t code_digest = 0;
};

struct RaceResult {
  Outcome outcome;  // also kUnstable: too few undisturbed rounds
  PairMeasurement pair;
  uint64_t code_digest = 0;
};

// Tries configs where they can do no harm. kUnstable is the outcome of whatever was called off,
// too: it says nothing of the config. One call is tried at a time; not thread-safe.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;

  // Loads the vendor's library and makes operands; returns what one of its calls takes.
  // kUnsupported if the call cannot be made there: the library has changed, another machine, no
  // such symbol, too large. kUnavailable if the runner itself does not start.
  virtual Result<std::chrono::nanoseconds> begin(const TunedCall& call) = 0;

  // Builds the config, checks its results and, if they are right, times it for a moment. Whatever
  // goes wrong is the outcome.
  virtual TrialResult try_config(const std::string& config) = 0;

  // Builds the config and checks its results as thoroughly as before a race; times nothing.
  virtual CheckResult check_config(const std::string& config) = 0;

  // Checks again, and times it and the vendor's function in interleaved pairs.
  virtual RaceResult race(const std::string& config, std::chrono::nanoseconds budget) = 0;
};

}  // namespace triode::tuner
