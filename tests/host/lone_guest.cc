// SPDX-License-Identifier: Apache-2.0
// Calls functions that no library of its own defines: weak names, so that it starts without them.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "tests/host/guest_matmul.h"

extern "C" {
[[gnu::weak]] void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*,
                               int, float, float*, int);
[[gnu::weak]] void dgemm_(const char*, const char*, const int*, const int*, const int*,
                          const double*, const double*, const int*, const double*, const int*,
                          const double*, double*, const int*, size_t, size_t);
[[gnu::weak]] void cblas_dgemv(int, int, int, int, double, const double*, int, const double*, int,
                               double, double*, int);
[[gnu::weak]] void scipy_cblas_dgemm64_(int, int, int, int64_t, int64_t, int64_t, double,
                                        const double*, int64_t, const double*, int64_t, double,
                                        double*, int64_t);
[[gnu::weak]] void cblas_sgemm_batch_strided(int, int, int, int, int, int, float, const float*, int,
                                             int, const float*, int, int, float, float*, int, int,
                                             int);
[[gnu::weak]] void cblas_sgemm_batch(int, const int*, const int*, const int*, const int*,
                                     const int*, const float*, const float**, const int*,
                                     const float**, const int*, const float*, float**, const int*,
                                     int, const int*);
}

namespace {

constexpr int kTranspose = 112;

constexpr std::array<double, 4> kA = {1, 2, 3, 4};
constexpr std::array<double, 4> kB = {5, 6, 7, 8};
constexpr std::array<double, 4> kProduct = {19, 22, 43, 50};  // by rows

using Two = std::array<double, 2>;
using Four = std::array<double, 4>;

// By columns: the transposes of both, the other way round.
bool fortran_is_right() {
  const int two = 2;
  const double one = 1, three = 3;
  Four c = {1, 1, 1, 1};
  dgemm_("N", "n", &two, &two, &two, &one, kB.data(), &two, kA.data(), &two, &three, c.data(), &two,
         1, 1);
  return c == Four{22, 25, 46, 53};
}

bool gemv_is_right() {
  const Two x = {1, 10};
  Two y = {0, 0};
  cblas_dgemv(guest::kRowMajor, kTranspose, 2, 2, 2, kA.data(), 2, x.data(), 1, 0, y.data(), 1);
  return y == Two{62, 84};
}

// By columns and by rows, each vector forwards and backwards: its first element is then the last in
// memory.
bool backward_gemv_is_right() {
  bool is_right = true;
  for (const int transpose : {guest::kNoTranspose, kTranspose}) {
    for (const int x_step : {1, -1, 2, -2}) {
      for (const int y_step : {1, -1, 2, -2}) {
        std::array<double, 3> x = {0, 0, 0}, y = {9, 9, 9}, expected = y;
        const size_t x_last = static_cast<size_t>(std::abs(x_step));
        const size_t y_last = static_cast<size_t>(std::abs(y_step));
        x[x_step > 0 ? 0 : x_last] = 1;
        x[x_step > 0 ? x_last : 0] = 10;
        const bool by_rows = transpose == guest::kNoTranspose;
        expected[y_step > 0 ? 0 : y_last] = by_rows ? 21 : 31;
        expected[y_step > 0 ? y_last : 0] = by_rows ? 43 : 42;
        cblas_dgemv(guest::kRowMajor, transpose, 2, 2, 1, kA.data(), 2, x.data(), x_step, 0,
                    y.data(), y_step);
        is_right = is_right && y == expected;
      }
    }
  }
  return is_right;
}

// Unlike a gemm without depth, it does not even scale y.
bool empty_gemv_changes_nothing() {
  const Two x = {1, 10};
  Two y = {3, 4};
  cblas_dgemv(guest::kRowMajor, guest::kNoTranspose, 2, 0, 1, kA.data(), 2, x.data(), -1, 2,
              y.data(), 1);
  return y == Two{3, 4};
}

bool wide_is_right() {
  Four c = {0, 0, 0, 0};
  scipy_cblas_dgemm64_(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, 2, 2, 2, 1,
                       kA.data(), 2, kB.data(), 2, 0, c.data(), 2);
  return c == kProduct;
}

// Two products of a row and a column.
bool batch_is_right() {
  const std::array<float, 4> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::array<float, 2> c = {0, 0};
  cblas_sgemm_batch_strided(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, 1, 1, 2, 1,
                            a.data(), 2, 2, b.data(), 1, 2, 0, c.data(), 1, 1, 2);
  return c == std::array<float, 2>{17, 53};
}

// A group of two products of a row and a column, which lie in no order, one of none, and one of an
// outer product that is added to what is there.
bool groups_are_right() {
  const std::array<float, 4> left = {1, 2, 3, 4}, right = {5, 6, 7, 8};
  std::array<float, 2> dots = {0, 0};
  std::array<float, 4> outer = {1, 1, 1, 1};
  const std::array<int, 3> transpose_a = {guest::kNoTranspose, guest::kNoTranspose, kTranspose};
  const std::array<int, 3> transpose_b = {guest::kNoTranspose, guest::kNoTranspose, kTranspose};
  const std::array<int, 3> m = {1, 9, 2}, n = {1, 9, 2}, k = {2, 9, 1}, lda = {2, 9, 2},
                           ldb = {1, 9, 1}, ldc = {1, 9, 2}, sizes = {2, 0, 1};
  const std::array<float, 3> alpha = {1, 1, 2}, beta = {0, 0, 1};
  std::array<const float*, 3> a = {&left[2], &left[0], &left[0]};
  std::array<const float*, 3> b = {&right[2], &right[0], &right[0]};
  std::array<float*, 3> c = {&dots[1], &dots[0], outer.data()};
  cblas_sgemm_batch(guest::kRowMajor, transpose_a.data(), transpose_b.data(), m.data(), n.data(),
                    k.data(), alpha.data(), a.data(), lda.data(), b.data(), ldb.data(), beta.data(),
                    c.data(), ldc.data(), 3, sizes.data());
  return dots == std::array<float, 2>{17, 53} && outer == std::array<float, 4>{11, 13, 21, 25};
}

// The results lie backwards.
bool uneven_batch_is_right() {
  const std::array<float, 4> left = {1, 2, 3, 4}, right = {5, 6, 7, 8};
  std::array<float, 2> dots = {0, 0};
  const int transpose = guest::kNoTranspose, one = 1, two = 2;
  const float alpha = 1, beta = 0;
  std::array<const float*, 2> a = {&left[0], &left[2]}, b = {&right[0], &right[2]};
  std::array<float*, 2> c = {&dots[1], &dots[0]};
  cblas_sgemm_batch(guest::kRowMajor, &transpose, &transpose, &one, &one, &two, &alpha, a.data(),
                    &two, b.data(), &one, &beta, c.data(), &one, 1, &two);
  return dots == std::array<float, 2>{53, 17};
}

// Nothing to add: c is scaled and that is all.
bool empty_is_right() {
  Four c = {1, 2, 3, 4};
  scipy_cblas_dgemm64_(guest::kRowMajor, guest::kNoTranspose, guest::kNoTranspose, 2, 2, 0, 1,
                       kA.data(), 2, kB.data(), 2, 2, c.data(), 2);
  return c == Four{2, 4, 6, 8};
}

bool nonsense_changes_nothing() {
  Four c = {1, 2, 3, 4};
  scipy_cblas_dgemm64_(7, guest::kNoTranspose, guest::kNoTranspose, 2, 2, 2, 1, kA.data(), 2,
                       kB.data(), 2, 0, c.data(), 2);
  return c == Four{1, 2, 3, 4};
}

}  // namespace

int main() {
  if (cblas_sgemm == nullptr) {
    guest::say("is_defined", 0);
    return 0;
  }
  guest::say("is_defined", 1);
  guest::SquareMatmul matmul(37);
  guest::say("square_is_right", matmul.run_is_right() && matmul.run_is_right());
  guest::say("fortran_is_right", fortran_is_right());
  guest::say("gemv_is_right", gemv_is_right());
  guest::say("backward_gemv_is_right", backward_gemv_is_right());
  guest::say("empty_gemv_changes_nothing", empty_gemv_changes_nothing());
  guest::say("wide_is_right", wide_is_right());
  guest::say("batch_is_right", batch_is_right());
  guest::say("groups_are_right", groups_are_right());
  guest::say("uneven_batch_is_right", uneven_batch_is_right());
  guest::say("empty_is_right", empty_is_right());
  guest::say("nonsense_changes_nothing", nonsense_changes_nothing());
}
