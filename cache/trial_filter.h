// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/dtype.h"
#include "core/outcome.h"
#include "core/problem.h"

namespace triode {

struct SizeRange {
  int64_t least = 0;
  int64_t most = std::numeric_limits<int64_t>::max();

  bool has(int64_t size) const { return least <= size && size <= most; }
  bool operator==(const SizeRange&) const = default;
};

// Which records to visit. An empty filter takes all. Devices and problems that do not match cost a
// seek each, however many records they have; the rest is looked at in passing.
struct TrialFilter {
  std::string device = {};  // a part of the device's text, letters of any case; empty: all
  std::optional<Problem> problem = {};
  std::optional<Op> op = {};
  std::optional<DType> dtype = {};  // of a
  SizeRange m = {};
  SizeRange n = {};
  SizeRange k = {};
  std::optional<OutcomeKind> outcome = {};
  std::string toolchain = {};              // a part of the toolchain's text; empty: all
  std::optional<std::string> origin = {};  // "" is Triode's own
};

// Whether the device's text has this part, whatever the case of its letters.
bool matches_device(const TrialFilter& filter, const std::string& device);
bool matches_problem(const TrialFilter& filter, const Problem& problem);
// Whether there are problems that do not match.
bool chooses_problems(const TrialFilter& filter);

}  // namespace triode
