// SPDX-License-Identifier: Apache-2.0
// Internal to core.
#pragma once

#include <array>
#include <cstdint>

#include "core/problem.h"

namespace triode {

constexpr int64_t kCacheLineBytes = 64;

// One number each for a, b and c, in this order.
using PerOperand = std::array<int64_t, 3>;

// What the problem says of its operands.
PerOperand element_bytes(const Problem& problem);
PerOperand leading_dimensions(const Problem& problem);
PerOperand batch_strides(const Problem& problem);
PerOperand stored_rows(const Problem& problem);  // as they lie in memory, so after transposing
PerOperand stored_columns(const Problem& problem);

void set_leading_dimensions(const PerOperand& lds, Problem& problem);
void set_batch_strides(const PerOperand& strides, Problem& problem);

// The columns, rounded up so that each row takes whole cache lines. Out of range gives INT64_MAX.
PerOperand aligned_leading_dimensions(const Problem& problem);

// Of a bmm, the matrices one behind the other: rows times leading dimension. Of the others, zero.
// Out of range gives INT64_MAX.
PerOperand default_batch_strides(const Problem& problem);

// What a product of this one type accumulates in, unless the problem says otherwise.
DType default_accumulator(DType dtype);

}  // namespace triode
