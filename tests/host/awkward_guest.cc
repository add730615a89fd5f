// SPDX-License-Identifier: Apache-2.0
// Products whose operands hold what must not be looked at.
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/host/guest_matmul.h"

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kSize = 19, kLd = 23;
constexpr size_t kElements = size_t{kSize} * kLd;

struct Operands {
  std::vector<float> a, b, c;
};

// A matrix of `value`, with `gap` in the elements that its leading dimension leaves out.
std::vector<float> matrix_of(float value, float gap) {
  std::vector<float> matrix(kElements, gap);
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) matrix[i * kLd + j] = value;
  }
  return matrix;
}

std::vector<float> product(float alpha, const Operands& x, float beta) {
  std::vector<float> c = x.c;
  for (int repeat = 0; repeat < 2; ++repeat) {
    c = x.c;
    cblas_sgemm(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, kSize, kSize, kSize,
                alpha, x.a.data(), kLd, x.b.data(), kLd, beta, c.data(), kLd);
  }
  return c;
}

bool is_equal(const std::vector<float>& got, const std::vector<float>& right) {
  return std::memcmp(got.data(), right.data(), right.size() * sizeof(float)) == 0;
}

constexpr float kGap = 5e20f;  // of c, where a NaN could not be told from another

}  // namespace

int main() {
  const Operands nan_in_c{matrix_of(1, kNaN), matrix_of(2, kNaN), matrix_of(kNaN, kGap)};
  guest::say("beta_zero_reads_no_c", is_equal(product(1, nan_in_c, 0), matrix_of(38, kGap)));
  guest::say("negative_zero_is_zero", is_equal(product(1, nan_in_c, -0.0f), matrix_of(38, kGap)));
  const Operands nan_in_gaps{matrix_of(1, kNaN), matrix_of(2, kNaN), matrix_of(4, kGap)};
  guest::say("gaps_stay", is_equal(product(0.5f, nan_in_gaps, 2), matrix_of(27, kGap)));
  const Operands nan_in_a{matrix_of(kNaN, kNaN), matrix_of(2, kNaN), matrix_of(4, kGap)};
  guest::say("alpha_zero_reads_no_a", is_equal(product(0, nan_in_a, 2), matrix_of(8, kGap)));
  guest::say("nan_in_a_shows", std::isnan(product(1, nan_in_a, 2)[0]));
}
