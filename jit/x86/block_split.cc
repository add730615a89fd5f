// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/block_split.h"

#include <algorithm>

namespace triode::x86 {

BlockSplit split_blocks(int64_t total, int64_t limit, int64_t granule) {
  if (limit <= 0 || limit >= total) return {total, total, 1};
  const int64_t wanted = (total + limit - 1) / limit;
  const int64_t even = (total + wanted - 1) / wanted;
  const int64_t size = std::min(total, (even + granule - 1) / granule * granule);
  const int64_t count = (total + size - 1) / size;
  return {size, total - (count - 1) * size, count};
}

}  // namespace triode::x86
