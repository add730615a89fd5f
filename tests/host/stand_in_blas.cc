// SPDX-License-Identifier: Apache-2.0
// A BLAS that defines every intercepted symbol, by plain loops, and counts its calls: what programs
// under test link, so that a test can tell who answered. Built twice, under two names.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/host/blas_symbols.h"

namespace {

std::atomic<long> calls{0};
std::atomic<void (*)()> inside_call{nullptr};
std::atomic<bool> is_idle{false};

void begin_call() {
  ++calls;
  if (auto* const function = inside_call.exchange(nullptr)) function();
}

// A matrix as a caller describes it; element (i, j) of op(matrix).
template <typename Scalar>
struct Matrix {
  Scalar* data;
  int64_t ld;
  bool by_columns;
  bool transposed;

  Scalar& at(int64_t i, int64_t j) const {
    return transposed != by_columns ? data[j * ld + i] : data[i * ld + j];
  }
};

template <typename Scalar>
void multiply(int64_t m, int64_t n, int64_t k, Scalar alpha, Matrix<const Scalar> a,
              Matrix<const Scalar> b, Scalar beta, Matrix<Scalar> c) {
  if (is_idle.load(std::memory_order_relaxed)) return;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Scalar sum = 0;
      for (int64_t l = 0; alpha != 0 && l < k; ++l) sum += a.at(i, l) * b.at(l, j);
      c.at(i, j) = alpha * sum + (beta == 0 ? 0 : beta * c.at(i, j));
    }
  }
}

template <typename Scalar>
void gemm(bool by_columns, bool ta, bool tb, int64_t m, int64_t n, int64_t k, Scalar alpha,
          const Scalar* a, int64_t lda, const Scalar* b, int64_t ldb, Scalar beta, Scalar* c,
          int64_t ldc) {
  multiply<Scalar>(m, n, k, alpha, {a, lda, by_columns, ta}, {b, ldb, by_columns, tb}, beta,
                   {c, ldc, by_columns, false});
}

template <typename Scalar>
void gemv(bool by_columns, bool transposed, int64_t m, int64_t n, Scalar alpha, const Scalar* a,
          int64_t lda, const Scalar* x, int64_t x_step, Scalar beta, Scalar* y, int64_t y_step) {
  multiply<Scalar>(transposed ? n : m, 1, transposed ? m : n, alpha,
                   {a, lda, by_columns, transposed}, {x, x_step, false, false}, beta,
                   {y, y_step, false, false});
}

bool is_transposed(int word) {
  return word != 111;
}
bool is_transposed(const char* letter) {
  return *letter != 'n' && *letter != 'N';
}
constexpr int kColumnMajor = 102;

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT long stand_in_calls() {
  return calls.load();
}

// From now on calls return at once and leave c as it is, or compute again.
EXPORT void make_stand_in_idle(int idle) {
  is_idle = idle != 0;
}

// Has the next call call `function`, once.
EXPORT void do_inside_stand_in_call(void (*function)()) {
  inside_call = function;
}

#define STAND_IN_kCblasGemm(symbol, Scalar, Int)                                                  \
  EXPORT void symbol(int layout, int ta, int tb, Int m, Int n, Int k, Scalar alpha,               \
                     const Scalar* a, Int lda, const Scalar* b, Int ldb, Scalar beta, Scalar* c,  \
                     Int ldc) {                                                                   \
    begin_call();                                                                                 \
    gemm<Scalar>(layout == kColumnMajor, is_transposed(ta), is_transposed(tb), m, n, k, alpha, a, \
                 lda, b, ldb, beta, c, ldc);                                                      \
  }

#define STAND_IN_kFortranGemm(symbol, Scalar, Int)                                                 \
  EXPORT void symbol(const char* ta, const char* tb, const Int* m, const Int* n, const Int* k,     \
                     const Scalar* alpha, const Scalar* a, const Int* lda, const Scalar* b,        \
                     const Int* ldb, const Scalar* beta, Scalar* c, const Int* ldc) {              \
    begin_call();                                                                                  \
    gemm<Scalar>(true, is_transposed(ta), is_transposed(tb), *m, *n, *k, *alpha, a, *lda, b, *ldb, \
                 *beta, c, *ldc);                                                                  \
  }

#define STAND_IN_kCblasGemv(symbol, Scalar, Int)                                                 \
  EXPORT void symbol(int layout, int t, Int m, Int n, Scalar alpha, const Scalar* a, Int lda,    \
                     const Scalar* x, Int x_step, Scalar beta, Scalar* y, Int y_step) {          \
    begin_call();                                                                                \
    gemv<Scalar>(layout == kColumnMajor, is_transposed(t), m, n, alpha, a, lda, x, x_step, beta, \
                 y, y_step);                                                                     \
  }

#define STAND_IN_kFortranGemv(symbol, Scalar, Int)                                                \
  EXPORT void symbol(const char* t, const Int* m, const Int* n, const Scalar* alpha,              \
                     const Scalar* a, const Int* lda, const Scalar* x, const Int* x_step,         \
                     const Scalar* beta, Scalar* y, const Int* y_step) {                          \
    begin_call();                                                                                 \
    gemv<Scalar>(true, is_transposed(t), *m, *n, *alpha, a, *lda, x, *x_step, *beta, y, *y_step); \
  }

#define STAND_IN_kCblasGemmBatch(symbol, Scalar, Int)                                             \
  EXPORT void symbol(int layout, const int* ta, const int* tb, const Int* m, const Int* n,        \
                     const Int* k, const Scalar* alpha, const Scalar** a, const Int* lda,         \
                     const Scalar** b, const Int* ldb, const Scalar* beta, Scalar** c,            \
                     const Int* ldc, Int groups, const Int* sizes) {                              \
    begin_call();                                                                                 \
    int64_t at = 0;                                                                               \
    for (Int g = 0; g < groups; ++g) {                                                            \
      for (Int i = 0; i < sizes[g]; ++i, ++at) {                                                  \
        gemm<Scalar>(layout == kColumnMajor, is_transposed(ta[g]), is_transposed(tb[g]), m[g],    \
                     n[g], k[g], alpha[g], a[at], lda[g], b[at], ldb[g], beta[g], c[at], ldc[g]); \
      }                                                                                           \
    }                                                                                             \
  }

#define STAND_IN_kCblasGemmBatchStrided(symbol, Scalar, Int)                                     \
  EXPORT void symbol(int layout, int ta, int tb, Int m, Int n, Int k, Scalar alpha,              \
                     const Scalar* a, Int lda, Int a_stride, const Scalar* b, Int ldb,           \
                     Int b_stride, Scalar beta, Scalar* c, Int ldc, Int c_stride, Int batch) {   \
    begin_call();                                                                                \
    for (int64_t i = 0; i < batch; ++i) {                                                        \
      gemm<Scalar>(layout == kColumnMajor, is_transposed(ta), is_transposed(tb), m, n, k, alpha, \
                   a + i * a_stride, lda, b + i * b_stride, ldb, beta, c + i * c_stride, ldc);   \
    }                                                                                            \
  }

#define X(symbol, dialect, Scalar, Int) STAND_IN_##dialect(symbol, Scalar, Int)
TRIODE_BLAS_SYMBOLS
#undef X
