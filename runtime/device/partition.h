// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace triode {

struct Extent {
  int64_t begin = 0;
  int64_t size = 0;

  bool operator==(const Extent&) const = default;
};

// Cuts [0, size) into `parts` consecutive extents, or fewer if there are not that many granules;
// none is empty. Inner boundaries are multiples of `granule`; sizes differ by one granule at most.
// size >= 0, granule >= 1, parts >= 1.
std::vector<Extent> partition(int64_t size, int64_t granule, int parts);

}  // namespace triode
