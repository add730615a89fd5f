// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/partition.h"

#include <algorithm>
#include <cassert>

namespace triode {

std::vector<Extent> partition(int64_t size, int64_t granule, int parts) {
  assert(size >= 0 && granule >= 1 && parts >= 1);
  const int64_t granules = (size + granule - 1) / granule;
  const int64_t count = std::min<int64_t>(parts, granules);
  std::vector<Extent> extents;
  extents.reserve(static_cast<size_t>(count));
  // Rounding down gives the odd granules to the later parts, the last one among them, where the
  // granule that is cut short lies: so no two parts differ by more than one granule.
  int64_t begin = 0;
  for (int64_t part = 1; part <= count; ++part) {
    const int64_t end = std::min(size, granules * part / count * granule);
    extents.push_back({begin, end - begin});
    begin = end;
  }
  return extents;
}

}  // namespace triode
