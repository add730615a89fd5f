// SPDX-License-Identifier: Apache-2.0
// A BLAS that computes nothing and keeps the arguments of its last call as text.
#include <cstddef>
#include <cstdint>

#include "tests/host/last_call.h"

EXPORT void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha,
                        const float* a, int lda, const float* b, int ldb, float beta, float* c,
                        int ldc) {
  record("cblas_sgemm %d %d %d %d %d %d %a %p %d %p %d %a %p %d", layout, ta, tb, m, n, k,
         static_cast<double>(alpha), static_cast<const void*>(a), lda, static_cast<const void*>(b),
         ldb, static_cast<double>(beta), static_cast<void*>(c), ldc);
}

EXPORT void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
                   const float* alpha, const float* a, const int* lda, const float* b,
                   const int* ldb, const float* beta, float* c, const int* ldc, size_t length_a,
                   size_t length_b) {
  record("sgemm_ %c %c %d %d %d %a %p %d %p %d %a %p %d %zu %zu", *ta, *tb, *m, *n, *k,
         static_cast<double>(*alpha), static_cast<const void*>(a), *lda,
         static_cast<const void*>(b), *ldb, static_cast<double>(*beta), static_cast<void*>(c), *ldc,
         length_a, length_b);
}

EXPORT void cblas_sgemv(int layout, int ta, int m, int n, float alpha, const float* a, int lda,
                        const float* x, int x_step, float beta, float* y, int y_step) {
  record("cblas_sgemv %d %d %d %d %a %p %d %p %d %a %p %d", layout, ta, m, n,
         static_cast<double>(alpha), static_cast<const void*>(a), lda, static_cast<const void*>(x),
         x_step, static_cast<double>(beta), static_cast<void*>(y), y_step);
}

// Of its arrays it looks at none.
EXPORT void cblas_sgemm_batch(int layout, const int*, const int*, const int*, const int*,
                              const int*, const float*, const float** a, const int*,
                              const float** b, const int*, const float*, float** c, const int*,
                              int groups, const int* sizes) {
  record("cblas_sgemm_batch %d %p %p %p %d %p", layout, static_cast<const void*>(a),
         static_cast<const void*>(b), static_cast<const void*>(c), groups,
         static_cast<const void*>(sizes));
}

EXPORT void cblas_dgemm64_(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k,
                           double alpha, const double* a, int64_t lda, const double* b, int64_t ldb,
                           double beta, double* c, int64_t ldc) {
  record("cblas_dgemm64_ %d %d %d %ld %ld %ld %a %p %ld %p %ld %a %p %ld", layout, ta, tb, m, n, k,
         alpha, static_cast<const void*>(a), lda, static_cast<const void*>(b), ldb, beta,
         static_cast<void*>(c), ldc);
}
