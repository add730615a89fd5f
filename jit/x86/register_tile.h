// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/dtype.h"
#include "jit/x86/gemm_config.h"
#include "jit/x86/vector_isa.h"

namespace triode::x86 {

// Vectors that hold `columns` elements.
int32_t vectors_per_row(const VectorIsa& isa, DType dtype, int64_t columns);

// Rows of the tallest outer-product tile of `vectors` vectors that fits the registers: its sums,
// the operands of one step, and the mask if partial vectors of b are loaded without opmasks. 0 if
// none fits.
int32_t tallest_outer_tile(const VectorIsa& isa, int32_t vectors, bool mask_in_register);

// Whether an outer-product tile of `columns` columns, which is half a vector, holds two rows of c
// in each vector.
bool pairs_rows(const VectorIsa& isa, DType dtype, int32_t columns);

// Rows of the tallest such tile: its sums, the rows of a that are held, and one operand each.
int32_t tallest_paired_tile(const VectorIsa& isa);

// Whether a dot-product tile of `rows` x `columns` sums fits the registers, with its operands and
// mask.
bool dot_tile_fits(const VectorIsa& isa, int32_t rows, int32_t columns);

// Equal tiles one above the other.
struct RowGroup {
  int32_t height;
  int64_t count;
};

// How `rows` rows are cut into tiles of at most `height`: one group or two, in order.
std::vector<RowGroup> cut_rows(int64_t rows, int32_t height, RowTiles how);

}  // namespace triode::x86
