// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/device.h"
#include "core/problem.h"

namespace triode::bench {

// A call of a BLAS function with the arguments of a problem, ready to be timed: they are converted
// once, so that a call costs what a program that makes it pays. The sizes must fit the function's.

// `gemm` is cblas_sgemm or cblas_dgemm with 32-bit sizes, by the problem's type. `batched`, its
// strided batch, may be null: then a batch is a loop over `gemm`.
std::function<void()> bind_cblas(void* gemm, void* batched, const Problem& problem,
                                 const Operands& operands);

// `gemm` is dnnl_sgemm, which is row-major and knows f32 alone. A batch is a loop.
std::function<void()> bind_dnnl(void* gemm, const Problem& problem, const Operands& operands);

}  // namespace triode::bench
