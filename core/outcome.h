// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode {

// How a trial ended. Anything but kOk is a result to be kept with its reason, not an error.
enum class OutcomeKind : uint8_t {
  kOk,
  kCompileFailed,
  kLaunchFailed,
  kWrongResult,
  kTimedOut,
  kCrashed,
  kOutOfMemory,
  kUnstable,  // ran right, but its timings never settled
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kOk;
  std::string reason;  // empty for kOk

  bool ok() const { return kind == OutcomeKind::kOk; }
  bool operator==(const Outcome&) const = default;
};

// How a trial ended one of whose steps failed: kOutOfMemory if for want of memory, whichever step
// it was, else `otherwise`. Memory may be there the next time; code that does not compile stays so.
Outcome outcome_of_failure(const Status& status, OutcomeKind otherwise);

// "ok", "compile-failed", "launch-failed", "wrong-result", "timed-out", "crashed", "out-of-memory",
// "unstable".
std::string_view to_string(OutcomeKind kind);
Result<OutcomeKind> parse_outcome_kind(std::string_view text);

}  // namespace triode
