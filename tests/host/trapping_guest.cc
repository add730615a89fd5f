// SPDX-License-Identifier: Apache-2.0
// Has every floating-point exception but the inexact result and the denormal ones end the program,
// as Fortran programs are built to, and multiplies operands whose gaps hold what must not be
// computed with.
#include <fenv.h>

#include <limits>
#include <vector>

#include "tests/host/guest_matmul.h"

extern "C" void cblas_sgemv(int, int, int, int, float, const float*, int, const float*, int, float,
                            float*, int);

namespace {

constexpr int kTranspose = 112;
constexpr int kMostRows = 40, kLd = 48;

// A matrix of ones; what its leading dimension leaves out would overflow when multiplied.
std::vector<float> ones(int rows, int columns) {
  std::vector<float> matrix(size_t{kMostRows} * kLd, std::numeric_limits<float>::max());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) matrix[static_cast<size_t>(i * kLd + j)] = 1;
  }
  return matrix;
}

bool gemm_is_right(int m, int n, int k, int ta, int tb) {
  const bool a_turned = ta == kTranspose, b_turned = tb == kTranspose;
  const std::vector<float> a = ones(a_turned ? k : m, a_turned ? m : k);
  const std::vector<float> b = ones(b_turned ? n : k, b_turned ? k : n);
  std::vector<float> c = ones(m, n);
  cblas_sgemm(guest::kRowMajor, ta, tb, m, n, k, 2, a.data(), kLd, b.data(), kLd, 3, c.data(), kLd);
  return c[0] == static_cast<float>(2 * k + 3);
}

// With a step between the elements of both vectors.
bool gemv_is_right(int m, int n, int transpose) {
  const bool turned = transpose == kTranspose;
  const std::vector<float> a = ones(m, n), x = ones(kMostRows, 1);
  std::vector<float> y = ones(kMostRows, 1);
  cblas_sgemv(guest::kRowMajor, transpose, m, n, 2, a.data(), kLd, x.data(), kLd, 3, y.data(), kLd);
  return y[0] == static_cast<float>(2 * (turned ? m : n) + 3);
}

}  // namespace

int main() {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  int calls = 0, right = 0;
  for (const int m : {1, 2, 5, 17, 33}) {
    for (const int n : {1, 3, 8, 19, 37}) {
      for (const int t : {guest::kNoTranspose, kTranspose}) {
        ++calls, right += gemv_is_right(m, n, t);
        for (const int k : {1, 7, 16, 35}) {
          ++calls, right += gemm_is_right(m, n, k, t, guest::kNoTranspose);
          ++calls, right += gemm_is_right(m, n, k, t, kTranspose);
        }
      }
    }
  }
  guest::say("calls", calls);
  guest::say("right", right);
}
