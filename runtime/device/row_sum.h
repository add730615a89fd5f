// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace triode {

// sum[i] += term[i] for i < count. f32 and f64 only; the processor must have AVX2. The pointers
// need only the alignment of an element.
void add_to_row(DType dtype, void* sum, const void* term, int64_t count);

}  // namespace triode
