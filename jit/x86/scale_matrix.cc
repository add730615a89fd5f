// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/scale_matrix.h"

#include <algorithm>

namespace triode::x86 {
namespace {

template <typename T>
void scale(int64_t m, int64_t n, int64_t ldc, T beta, T* c) {
  for (int64_t i = 0; i < m; ++i, c += ldc) {
    if (beta == T{0}) {
      std::fill(c, c + n, T{0});
    } else {
      for (int64_t j = 0; j < n; ++j) c[j] *= beta;
    }
  }
}

}  // namespace

void scale_matrix(DType dtype, int64_t m, int64_t n, int64_t ldc, double beta, void* c) noexcept {
  if (beta == 1) return;
  if (dtype == DType::kF64) {
    scale(m, n, ldc, beta, static_cast<double*>(c));
  } else {
    scale(m, n, ldc, static_cast<float>(beta), static_cast<float*>(c));
  }
}

}  // namespace triode::x86
