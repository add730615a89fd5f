// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace triode::x86 {

// to(c, r) = from(r, c) for sixteen rows of f32, and as many columns as are whole eights: returns
// how many those are. Strides are in bytes. Needs AVX-512 F.
int64_t transpose_sixteen_rows(const unsigned char* from, int64_t from_row_bytes, int64_t columns,
                               unsigned char* to, int64_t to_row_bytes);

}  // namespace triode::x86
