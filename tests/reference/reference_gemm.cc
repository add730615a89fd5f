// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/reference_gemm.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace triode {
namespace {

// One matrix of the batch. The loop over p is outside the one over j only because that is several
// times faster; each sum still adds its terms in order of p.
template <typename T, typename Wide>
void multiply_one(const Problem& problem, const T* a, const T* b, T* c, T alpha, T beta) {
  const int64_t a_row = problem.a_transposed ? 1 : problem.lda;
  const int64_t a_column = problem.a_transposed ? problem.lda : 1;
  const int64_t b_row = problem.b_transposed ? 1 : problem.ldb;
  const int64_t b_column = problem.b_transposed ? problem.ldb : 1;
  std::vector<Wide> sums(static_cast<size_t>(problem.n));
  for (int64_t i = 0; i < problem.m; ++i) {
    sums.assign(sums.size(), Wide{0});
    for (int64_t p = 0; alpha != 0 && p < problem.k; ++p) {
      const Wide a_value = a[i * a_row + p * a_column];
      for (int64_t j = 0; j < problem.n; ++j) {
        sums[static_cast<size_t>(j)] += a_value * Wide{b[p * b_row + j * b_column]};
      }
    }
    for (int64_t j = 0; j < problem.n; ++j) {
      T& out = c[i * problem.ldc + j];
      const Wide kept = beta == 0 ? Wide{0} : Wide{beta} * Wide{out};
      out = static_cast<T>(Wide{alpha} * sums[static_cast<size_t>(j)] + kept);
    }
  }
}

template <typename T, typename Wide>
void multiply_batch(const Problem& problem, const Operands& operands) {
  const auto* a = static_cast<const T*>(operands.a);
  const auto* b = static_cast<const T*>(operands.b);
  auto* c = static_cast<T*>(operands.c);
  for (int64_t i = 0; i < problem.batch; ++i) {
    multiply_one<T, Wide>(problem, a + i * problem.a_batch_stride, b + i * problem.b_batch_stride,
                          c + i * problem.c_batch_stride, static_cast<T>(operands.alpha),
                          static_cast<T>(operands.beta));
  }
}

bool is_all(const Problem& problem, DType dtype) {
  return problem.a_type == dtype && problem.b_type == dtype && problem.c_type == dtype;
}

}  // namespace

void reference_gemm(const Problem& problem, const Operands& operands) {
  if (is_all(problem, DType::kF32)) return multiply_batch<float, double>(problem, operands);
  if (is_all(problem, DType::kF64)) return multiply_batch<double, long double>(problem, operands);
  std::fprintf(stderr, "reference_gemm knows f32 and f64 only, not: %s\n",
               to_string(problem).c_str());
  std::abort();
}

}  // namespace triode
