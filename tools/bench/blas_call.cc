// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/blas_call.h"

#include <cstdint>

namespace triode::bench {
namespace {

constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

template <typename T>
using CblasGemm = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                           T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c,
                           int ldc);
template <typename T>
using CblasGemmBatched = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                                  T alpha, const T* a, int lda, int a_stride, const T* b, int ldb,
                                  int b_stride, T beta, T* c, int ldc, int c_stride, int batch);
using DnnlGemm = int (*)(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n,
                         std::int64_t k, float alpha, const float* a, std::int64_t lda,
                         const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);

// The arguments of one call, in the types the library takes.
template <typename T>
struct Arguments {
  int m, n, k, lda, ldb, ldc;
  int transpose_a, transpose_b;
  T alpha, beta;
  const T* a;
  const T* b;
  T* c;
  std::int64_t a_stride, b_stride, c_stride;
  int batch;

  Arguments(const Problem& problem, const Operands& operands)
      : m(static_cast<int>(problem.m)),
        n(static_cast<int>(problem.n)),
        k(static_cast<int>(problem.k)),
        lda(static_cast<int>(problem.lda)),
        ldb(static_cast<int>(problem.ldb)),
        ldc(static_cast<int>(problem.ldc)),
        transpose_a(problem.a_transposed ? kTranspose : kNoTranspose),
        transpose_b(problem.b_transposed ? kTranspose : kNoTranspose),
        alpha(static_cast<T>(operands.alpha)),
        beta(static_cast<T>(operands.beta)),
        a(static_cast<const T*>(operands.a)),
        b(static_cast<const T*>(operands.b)),
        c(static_cast<T*>(operands.c)),
        a_stride(problem.a_batch_stride),
        b_stride(problem.b_batch_stride),
        c_stride(problem.c_batch_stride),
        batch(static_cast<int>(problem.batch)) {}
};

template <typename T>
void call(CblasGemm<T> gemm, const Arguments<T>& x, std::int64_t z) {
  gemm(kRowMajor, x.transpose_a, x.transpose_b, x.m, x.n, x.k, x.alpha, x.a + z * x.a_stride, x.lda,
       x.b + z * x.b_stride, x.ldb, x.beta, x.c + z * x.c_stride, x.ldc);
}

void call(DnnlGemm gemm, const Arguments<float>& x, std::int64_t z) {
  gemm(x.transpose_a == kTranspose ? 'T' : 'N', x.transpose_b == kTranspose ? 'T' : 'N', x.m, x.n,
       x.k, x.alpha, x.a + z * x.a_stride, x.lda, x.b + z * x.b_stride, x.ldb, x.beta,
       x.c + z * x.c_stride, x.ldc);
}

// A single product gets a closure without the loop: at 8x8x8 even that would show.
template <typename Gemm, typename T>
std::function<void()> bind_looped(Gemm gemm, const Arguments<T>& x) {
  if (x.batch == 1) return [gemm, x] { call(gemm, x, 0); };
  return [gemm, x] {
    for (int z = 0; z < x.batch; ++z) call(gemm, x, z);
  };
}

template <typename T>
std::function<void()> bind_batched(CblasGemmBatched<T> gemm, const Arguments<T>& x) {
  return [gemm, x] {
    gemm(kRowMajor, x.transpose_a, x.transpose_b, x.m, x.n, x.k, x.alpha, x.a, x.lda,
         static_cast<int>(x.a_stride), x.b, x.ldb, static_cast<int>(x.b_stride), x.beta, x.c, x.ldc,
         static_cast<int>(x.c_stride), x.batch);
  };
}

template <typename T>
std::function<void()> bind_as(void* gemm, void* batched, const Arguments<T>& x) {
  if (x.batch > 1 && batched != nullptr) {
    return bind_batched<T>(reinterpret_cast<CblasGemmBatched<T>>(batched), x);
  }
  return bind_looped(reinterpret_cast<CblasGemm<T>>(gemm), x);
}

}  // namespace

std::function<void()> bind_cblas(void* gemm, void* batched, const Problem& problem,
                                 const Operands& operands) {
  if (problem.c_type == DType::kF64) {
    return bind_as(gemm, batched, Arguments<double>(problem, operands));
  }
  return bind_as(gemm, batched, Arguments<float>(problem, operands));
}

std::function<void()> bind_dnnl(void* gemm, const Problem& problem, const Operands& operands) {
  return bind_looped(reinterpret_cast<DnnlGemm>(gemm), Arguments<float>(problem, operands));
}

}  // namespace triode::bench
