// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode::x86 {

// A dimension cut into blocks of one size and a last one that may be smaller.
struct BlockSplit {
  int64_t size = 0;   // of every block but the last
  int64_t last = 0;   // of the last block
  int64_t count = 0;  // blocks, the last included

  int64_t size_of(int64_t block) const { return block == count - 1 ? last : size; }
  bool has_two_sizes() const { return last != size; }
};

// Blocks of at most `limit` (0: no limit), as even as multiples of `granule` allow. total > 0.
BlockSplit split_blocks(int64_t total, int64_t limit, int64_t granule);

}  // namespace triode::x86
