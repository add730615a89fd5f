// SPDX-License-Identifier: Apache-2.0
// A BLAS of the tests' own some of whose functions are made of others, which they call by name as a
// program does: cblas_sgemm of sgemm_, and a batch of cblas_sgemm.
#include <cstddef>
#include <utility>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void sgemm_(const char*, const char*, const int* m, const int* n, const int* k,
                   const float* alpha, const float* a, const int* lda, const float* b,
                   const int* ldb, const float* beta, float* c, const int* ldc) {
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      float sum = 0;
      for (int l = 0; l < *k; ++l) sum += a[l * *lda + i] * b[j * *ldb + l];
      float& element = c[j * *ldc + i];
      element = *alpha * sum + (*beta == 0 ? 0 : *beta * element);
    }
  }
}

// By rows and without transposes alone: all that its guest asks for.
EXPORT void cblas_sgemm(int, int, int, int m, int n, int k, float alpha, const float* a, int lda,
                        const float* b, int ldb, float beta, float* c, int ldc) {
  sgemm_("n", "n", &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);
}

EXPORT void cblas_sgemm_batch(int layout, const int* ta, const int* tb, const int* m, const int* n,
                              const int* k, const float* alpha, const float** a, const int* lda,
                              const float** b, const int* ldb, const float* beta, float** c,
                              const int* ldc, int groups, const int* sizes) {
  for (int g = 0, at = 0; g < groups; ++g) {
    for (int i = 0; i < sizes[g]; ++i, ++at) {
      cblas_sgemm(layout, ta[g], tb[g], m[g], n[g], k[g], alpha[g], a[at], lda[g], b[at], ldb[g],
                  beta[g], c[at], ldc[g]);
    }
  }
}
