// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/problem.h"

namespace triode::host {

// c = alpha a b + beta c by plain loops, for f32 and f64 without an epilogue: the last resort where
// no library defines a symbol and no kernel can be made (no AVX2, no executable memory), and the
// way of calls with nothing to multiply. The problem is valid, but that ldb and ldc may be
// negative.
void plain_gemm(const Problem& problem, const Operands& operands) noexcept;

}  // namespace triode::host
