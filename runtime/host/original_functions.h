// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace triode::host {

// The types of the intercepted functions, by dialect.
//
// A size that is passed by value is handed on as all of the 64 bits that it came in: a function
// with 32-bit sizes looks at the lower half, and one with 64-bit sizes may stand behind either name
// (Vendor::has_wide_sizes).

template <typename Scalar>
using CblasGemm = void(int layout, int transpose_a, int transpose_b, int64_t m, int64_t n,
                       int64_t k, Scalar alpha, const Scalar* a, int64_t lda, const Scalar* b,
                       int64_t ldb, Scalar beta, Scalar* c, int64_t ldc);

// The lengths of the two texts, which Fortran passes and C programs do not, come last: handed on as
// they lie, whether the caller wrote them or not.
template <typename Scalar, typename Int>
using FortranGemm = void(const char* transpose_a, const char* transpose_b, const Int* m,
                         const Int* n, const Int* k, const Scalar* alpha, const Scalar* a,
                         const Int* lda, const Scalar* b, const Int* ldb, const Scalar* beta,
                         Scalar* c, const Int* ldc, size_t length_a, size_t length_b);

template <typename Scalar>
using CblasGemv = void(int layout, int transpose, int64_t m, int64_t n, Scalar alpha,
                       const Scalar* a, int64_t lda, const Scalar* x, int64_t x_step, Scalar beta,
                       Scalar* y, int64_t y_step);

template <typename Scalar, typename Int>
using FortranGemv = void(const char* transpose, const Int* m, const Int* n, const Scalar* alpha,
                         const Scalar* a, const Int* lda, const Scalar* x, const Int* x_step,
                         const Scalar* beta, Scalar* y, const Int* y_step, size_t length);

template <typename Scalar, typename Int>
using CblasGemmBatch = void(int layout, const int* transpose_a, const int* transpose_b,
                            const Int* m, const Int* n, const Int* k, const Scalar* alpha,
                            const Scalar** a, const Int* lda, const Scalar** b, const Int* ldb,
                            const Scalar* beta, Scalar** c, const Int* ldc, int64_t groups,
                            const Int* group_sizes);

template <typename Scalar>
using CblasGemmBatchStrided = void(int layout, int transpose_a, int transpose_b, int64_t m,
                                   int64_t n, int64_t k, Scalar alpha, const Scalar* a, int64_t lda,
                                   int64_t a_stride, const Scalar* b, int64_t ldb, int64_t b_stride,
                                   Scalar beta, Scalar* c, int64_t ldc, int64_t c_stride,
                                   int64_t batch);

}  // namespace triode::host
