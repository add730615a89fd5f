// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/problem.h"
#include "jit/x86/gemm_config.h"

namespace triode::x86 {

// Where a kernel finds b.
enum class BLayout : uint8_t {
  kStrided,           // rows at b_row_bytes
  kStridedAndPacked,  // strided; the first row tile of each panel stores it to the workspace, the
                      // rest read that
  kPanels,  // packed panels of nr columns, k rows each, zero-padded to whole vectors (dot: rows
            // along k)
};

// Everything that decides the code of one kernel: a block of fixed size at fixed strides. Two
// configs whose specs are equal share the kernel. Strides and sizes are constants in the code, so
// there is no address arithmetic in its loops.
struct KernelSpec {
  IsaId isa = IsaId::kAvx2;
  Family family = Family::kOuter;
  DType dtype = DType::kF32;
  int32_t mr = 0;
  int32_t nr = 0;
  int32_t ku = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t a_row_bytes = 0;   // from a(i, p) to a(i + 1, p)
  int64_t a_step_bytes = 0;  // from a(i, p) to a(i, p + 1)
  int64_t b_row_bytes =
      0;  // outer: from b(p, j) to b(p + 1, j); dot: from column j to column j + 1
  int64_t c_row_bytes = 0;
  BLayout b_layout = BLayout::kStrided;
  ScalarClass alpha = ScalarClass::kOne;  // kOne or kOther
  ScalarClass beta = ScalarClass::kZero;  // kZero, kOne or kOther
  LoopOrder order = LoopOrder::kColumnsOuter;
  RowTiles rows = RowTiles::kBalanced;
  EdgeStore edge = EdgeStore::kMasked;  // not kDot, which is a kernel of its own
  StoreKind stores = StoreKind::kNormal;
  PrefetchA prefetch_a = PrefetchA::kNone;
  int32_t prefetch_b = 0;
  int32_t prefetch_panel = 0;
  int32_t prefetch_c = 0;

  bool operator==(const KernelSpec&) const = default;
};

struct KernelSpecHash {
  size_t operator()(const KernelSpec& spec) const;
};

// alpha and beta as the kernel reads them: repeated over a whole vector of the kernel's dtype, so
// that they can be memory operands and take no register from the tile.
struct alignas(64) KernelScalars {
  unsigned char alpha[64];
  unsigned char beta[64];
};

KernelScalars make_scalars(DType dtype, double alpha, double beta);

// c = alpha * a b + beta * c for the block. `workspace` holds one panel of b for kStridedAndPacked
// (aligned to 64 bytes), else it is not read.
using KernelFunction = void (*)(const void* a, const void* b, void* c, void* workspace,
                                const KernelScalars* scalars);

// Bytes of workspace the kernel writes to.
int64_t workspace_bytes(const KernelSpec& spec);

}  // namespace triode::x86
