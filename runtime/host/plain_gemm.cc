// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plain_gemm.h"

#include <cstdint>

namespace triode::host {
namespace {

template <typename Scalar>
class PlainGemm {
 public:
  PlainGemm(const Problem& problem, const Operands& operands)
      : p_(problem),
        alpha_(static_cast<Scalar>(operands.alpha)),
        beta_(static_cast<Scalar>(operands.beta)) {}

  void run(const Scalar* a, const Scalar* b, Scalar* c) const {
    for (int64_t i = 0; i < p_.m; ++i) {
      for (int64_t j = 0; j < p_.n; ++j) {
        Scalar& element = c[i * p_.ldc + j];
        // What beta or alpha multiplies by zero is not looked at: it may be anything.
        const Scalar scaled = beta_ == 0 ? 0 : beta_ * element;
        element = alpha_ == 0 ? scaled : scaled + alpha_ * dot(a, b, i, j);
      }
    }
  }

 private:
  Scalar dot(const Scalar* a, const Scalar* b, int64_t i, int64_t j) const {
    Scalar sum = 0;
    for (int64_t l = 0; l < p_.k; ++l) {
      sum += (p_.a_transposed ? a[l * p_.lda + i] : a[i * p_.lda + l]) *
             (p_.b_transposed ? b[j * p_.ldb + l] : b[l * p_.ldb + j]);
    }
    return sum;
  }

  const Problem& p_;
  Scalar alpha_;
  Scalar beta_;
};

template <typename Scalar>
void run_batch(const Problem& problem, const Operands& operands) {
  const PlainGemm<Scalar> gemm(problem, operands);
  for (int64_t i = 0; i < problem.batch; ++i) {
    gemm.run(static_cast<const Scalar*>(operands.a) + i * problem.a_batch_stride,
             static_cast<const Scalar*>(operands.b) + i * problem.b_batch_stride,
             static_cast<Scalar*>(operands.c) + i * problem.c_batch_stride);
  }
}

}  // namespace

void plain_gemm(const Problem& problem, const Operands& operands) noexcept {
  if (problem.c_type == DType::kF64) {
    run_batch<double>(problem, operands);
  } else {
    run_batch<float>(problem, operands);
  }
}

}  // namespace triode::host
