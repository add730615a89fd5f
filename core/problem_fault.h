// SPDX-License-Identifier: Apache-2.0
// Internal to core.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.h"

namespace triode {

// The part of a problem's text that a fault is about, so that the parser can point at it.
enum class ProblemPart : uint8_t { kSizes, kLeadingDimensions, kStrides, kAlignment, kThreads };

// Why a Problem is not valid, and what would be.
struct ProblemFault {
  ProblemPart part;
  std::string message;
};

// The first fault; empty for a valid problem. Allocates only if there is one.
std::optional<ProblemFault> find_fault(const Problem& problem);

}  // namespace triode
