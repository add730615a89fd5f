// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/config.h"
#include "core/problem.h"

namespace triode {

// The decision for one exact call: which config runs instead of the vendor's kernel, what it beat,
// and which code was checked. Valid only for this problem, this vendor and this code.
struct Plan {
  Problem problem;
  Config config;
  std::string vendor;        // library and symbol it was measured against
  uint64_t code_digest = 0;  // Artifact::digest() of what was checked
  double speedup = 1;        // over that vendor, when published
  bool operator==(const Plan&) const = default;
};

}  // namespace triode
