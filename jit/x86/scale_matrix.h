// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace triode::x86 {

// c = beta * c for an m x n matrix of f32 or f64; beta 0 writes zeros, whatever c held.
void scale_matrix(DType dtype, int64_t m, int64_t n, int64_t ldc, double beta, void* c) noexcept;

}  // namespace triode::x86
