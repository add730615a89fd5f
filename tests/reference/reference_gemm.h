// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/problem.h"

namespace triode {

// c = alpha * op(a) op(b) + beta * c for every matrix of the batch, by plain loops: what generated
// code is compared with. f32 accumulates in double, f64 in long double; alpha and beta are rounded
// to the problem's type first, as a BLAS call of that type would pass them. As in BLAS, beta = 0
// overwrites c whatever it held, and alpha = 0 does not read a and b. Aborts on any other dtype: a
// test that asked for one would have compared nothing.
void reference_gemm(const Problem& problem, const Operands& operands);

}  // namespace triode
