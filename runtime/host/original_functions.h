// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace triode::host {

// The types of the intercepted functions, by dialect.

template <typename Scalar, typename Int>
using CblasGemm = void(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k,
                       Scalar alpha, const Scalar* a, Int lda, const Scalar* b, Int ldb,
                       Scalar beta, Scalar* c, Int ldc);

// The lengths of the two texts, which Fortran passes and C programs do not, come last: handed on as
// they lie, whether the caller wrote them or not.
template <typename Scalar, typename Int>
using FortranGemm = void(const char* transpose_a, const char* transpose_b, const Int* m,
                         const Int* n, const Int* k, const Scalar* alpha, const Scalar* a,
                         const Int* lda, const Scalar* b, const Int* ldb, const Scalar* beta,
                         Scalar* c, const Int* ldc, size_t length_a, size_t length_b);

template <typename Scalar, typename Int>
using CblasGemv = void(int layout, int transpose, Int m, Int n, Scalar alpha, const Scalar* a,
                       Int lda, const Scalar* x, Int x_step, Scalar beta, Scalar* y, Int y_step);

template <typename Scalar, typename Int>
using FortranGemv = void(const char* transpose, const Int* m, const Int* n, const Scalar* alpha,
                         const Scalar* a, const Int* lda, const Scalar* x, const Int* x_step,
                         const Scalar* beta, Scalar* y, const Int* y_step, size_t length);

template <typename Scalar, typename Int>
using CblasGemmBatch = void(int layout, const int* transpose_a, const int* transpose_b,
                            const Int* m, const Int* n, const Int* k, const Scalar* alpha,
                            const Scalar** a, const Int* lda, const Scalar** b, const Int* ldb,
                            const Scalar* beta, Scalar** c, const Int* ldc, Int groups,
                            const Int* group_sizes);

// Sizes are handed on as the 64 bits they came in: numpy's OpenBLAS exports this under its plain
// name with 64-bit sizes, others with 32-bit ones.
template <typename Scalar>
using CblasGemmBatchStrided = void(int layout, int transpose_a, int transpose_b, int64_t m,
                                   int64_t n, int64_t k, Scalar alpha, const Scalar* a, int64_t lda,
                                   int64_t a_stride, const Scalar* b, int64_t ldb, int64_t b_stride,
                                   Scalar beta, Scalar* c, int64_t ldc, int64_t c_stride,
                                   int64_t batch);

}  // namespace triode::host
