// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "jit/x86/vector_isa.h"

namespace triode::x86 {

// How the register tile does its multiplications.
enum class Family : int32_t {
  // Vectors along n: broadcast elements of a times rows of b. Where nr is half a vector, each holds
  // two rows of c.
  kOuter,
  kDot,  // vectors along k: rows of a times columns of b, summed across lanes at the end
};

enum class PackA : int32_t {
  kNone,  // read where it lies
  kCopy,  // each mc x kc block is copied, rows along k: a transposed a is turned on the way
};

enum class PackB : int32_t {
  kNone,   // read where it lies
  kWhole,  // each kc x nc block is copied into panels before it is used
  kPanel,  // each panel is stored by the first row tile that reads it (not for a transposed b)
};

enum class LoopOrder : int32_t {
  kColumnsOuter,  // a panel of b stays in L1 while all row tiles pass over it
  kRowsOuter,     // a row tile of a stays in L1 while all panels pass over it
};

enum class RowTiles : int32_t {
  kTail,      // full tiles, then one smaller
  kBalanced,  // as many tiles, of heights that differ by one at most
};

// What becomes of the columns that do not fill the last vector of a row.
enum class EdgeStore : int32_t {
  kMasked,  // one masked store
  kSplit,   // stores of falling width (AVX2, where a masked store is slow)
  kDot,     // no vector at all: a dot kernel takes those columns, with vectors along k
};

enum class StoreKind : int32_t { kNormal, kStreaming };

// Where the rows of the next row tile are fetched to while this one computes.
enum class PrefetchA : int32_t {
  kNone,
  kL1,  // for tiles that leave room in L1
  kL2,  // for an a that streams from further away, tile after tile
};

enum class ThreadSplit : int32_t { kRows, kColumns, kDepth };

// One choice for a CPU matmul, in typed form: what a Config of gemm_space() means.
struct GemmConfig {
  IsaId isa = IsaId::kAvx2;
  Family family = Family::kOuter;
  int32_t mr = 6;   // rows of the register tile
  int32_t nr = 16;  // its columns, in elements; outer: a multiple of the lanes, or half of them
  int32_t ku = 4;   // steps over k in one turn of the inner loop (dot: vectors of k)
  int32_t kc = 0;   // block sizes; 0 is the whole dimension
  int32_t mc = 0;
  int32_t nc = 0;
  PackA pack_a = PackA::kNone;
  PackB pack_b = PackB::kNone;
  LoopOrder order = LoopOrder::kColumnsOuter;
  RowTiles rows = RowTiles::kBalanced;
  EdgeStore edge = EdgeStore::kMasked;
  StoreKind stores = StoreKind::kNormal;
  PrefetchA prefetch_a = PrefetchA::kNone;
  int32_t prefetch_b = 0;      // rows of b fetched ahead of the first row tile of a panel; 0 is off
  int32_t prefetch_panel = 0;  // 1: fetch the next panel of b into L2 while this one is used
  int32_t prefetch_c = 0;      // 1: fetch the tile of c before it is needed
  int32_t threads = 1;
  ThreadSplit split = ThreadSplit::kRows;  // the dimension that is shared out

  bool operator==(const GemmConfig&) const = default;
};

}  // namespace triode::x86
