// SPDX-License-Identifier: Apache-2.0
// The same as recording_blas.cc with 64-bit sizes behind the plain names, as Debian's libblas64 and
// MKL's libmkl_intel_ilp64 have them.
#include <cstdint>

#include "tests/host/last_call.h"

EXPORT void cblas_sgemm(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, float alpha,
                        const float* a, int64_t lda, const float* b, int64_t ldb, float beta,
                        float* c, int64_t ldc) {
  record("cblas_sgemm %d %d %d %ld %ld %ld %a %p %ld %p %ld %a %p %ld", layout, ta, tb, m, n, k,
         static_cast<double>(alpha), static_cast<const void*>(a), lda, static_cast<const void*>(b),
         ldb, static_cast<double>(beta), static_cast<void*>(c), ldc);
}

EXPORT void cblas_dgemv(int layout, int t, int64_t m, int64_t n, double alpha, const double* a,
                        int64_t lda, const double* x, int64_t x_step, double beta, double* y,
                        int64_t y_step) {
  record("cblas_dgemv %d %d %ld %ld %a %p %ld %p %ld %a %p %ld", layout, t, m, n, alpha,
         static_cast<const void*>(a), lda, static_cast<const void*>(x), x_step, beta,
         static_cast<void*>(y), y_step);
}

EXPORT void sgemm_(const char* ta, const char* tb, const int64_t* m, const int64_t* n,
                   const int64_t* k, const float* alpha, const float* a, const int64_t* lda,
                   const float* b, const int64_t* ldb, const float* beta, float* c,
                   const int64_t* ldc) {
  record("sgemm_ %c %c %ld %ld %ld %a %p %ld %p %ld %a %p %ld", *ta, *tb, *m, *n, *k,
         static_cast<double>(*alpha), static_cast<const void*>(a), *lda,
         static_cast<const void*>(b), *ldb, static_cast<double>(*beta), static_cast<void*>(c),
         *ldc);
}
