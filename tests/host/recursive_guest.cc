// SPDX-License-Identifier: Apache-2.0
// Linked with a BLAS whose functions call each other.
//   recursive_guest single        one product
//   recursive_guest empty         one with nothing to multiply
//   recursive_guest invalid       one with a leading dimension that is too small
//   recursive_guest batch         three products of one size at equal distances
//   recursive_guest uneven-batch  three at unequal distances
#include <array>
#include <string>

#include "tests/host/guest_matmul.h"

extern "C" void cblas_sgemm_batch(int, const int*, const int*, const int*, const int*, const int*,
                                  const float*, const float**, const int*, const float**,
                                  const int*, const float*, float**, const int*, int, const int*);

namespace {

constexpr int kSize = 2;
using Matrix = std::array<float, kSize * kSize>;
constexpr Matrix kA = {1, 2, 3, 4};
constexpr Matrix kB = {5, 6, 7, 8};
constexpr Matrix kProduct = {19, 22, 43, 50};

Matrix multiply(int depth, int lda) {
  Matrix c{};
  cblas_sgemm(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, kSize, kSize, depth, 1,
              kA.data(), lda, kB.data(), kSize, 0, c.data(), kSize);
  return c;
}

// Three products, all of the same operands; the results lie at the given places of one array.
bool batch_is_right(const std::array<int, 3>& places) {
  std::array<Matrix, 6> memory{};
  std::array<const float*, 3> a{}, b{};
  std::array<float*, 3> c{};
  a.fill(kA.data());
  b.fill(kB.data());
  for (size_t i = 0; i < 3; ++i) c[i] = memory[static_cast<size_t>(places[i])].data();
  const int transpose = guest::kNoTranspose, size = kSize, batch = 3;
  const float alpha = 1, beta = 0;
  cblas_sgemm_batch(guest::kRowMajor, &transpose, &transpose, &size, &size, &size, &alpha, a.data(),
                    &size, b.data(), &size, &beta, c.data(), &size, 1, &batch);
  for (const int place : places) {
    if (memory[static_cast<size_t>(place)] != kProduct) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "single") guest::say("is_right", multiply(kSize, kSize) == kProduct);
  if (what == "empty") guest::say("is_right", multiply(0, kSize) == Matrix{});
  if (what == "invalid") guest::say("is_right", multiply(kSize, 1) != kProduct);
  if (what == "batch") guest::say("is_right", batch_is_right({0, 1, 2}));
  if (what == "uneven-batch") guest::say("is_right", batch_is_right({0, 1, 5}));
}
