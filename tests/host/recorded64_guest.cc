// SPDX-License-Identifier: Apache-2.0
// Calls plain names of a BLAS that takes 64-bit sizes behind them, with sizes that 32 bits hold and
// such as they do not: what the lower halves say would be a call to answer.
#include <cstdint>

#include "tests/host/expected_call.h"

extern "C" {
void cblas_sgemm(int, int, int, int64_t, int64_t, int64_t, float, const float*, int64_t,
                 const float*, int64_t, float, float*, int64_t);
void cblas_dgemv(int, int, int64_t, int64_t, double, const double*, int64_t, const double*, int64_t,
                 double, double*, int64_t);
void sgemm_(const char*, const char*, const int64_t*, const int64_t*, const int64_t*, const float*,
            const float*, const int64_t*, const float*, const int64_t*, const float*, float*,
            const int64_t*);
}

namespace {

constexpr int kRow = 101, kNo = 111;
constexpr int64_t kSizes[] = {2, -1, (int64_t{1} << 32) + 2, INT64_MIN + 2};

float a[64], b[64], c[64];
double x[64], y[64];

void by_value(int64_t size) {
  cblas_sgemm(kRow, kNo, kNo, size, size, size, 1, a, size, b, size, 0, c, size);
  expect("cblas_sgemm %d %d %d %ld %ld %ld %a %p %ld %p %ld %a %p %ld", kRow, kNo, kNo, size, size,
         size, 1.0, static_cast<void*>(a), size, static_cast<void*>(b), size, 0.0,
         static_cast<void*>(c), size);
  cblas_dgemv(kRow, kNo, 2, 2, 1, x, 2, x + 8, size, 0, y, -size);
  expect("cblas_dgemv %d %d %ld %ld %a %p %ld %p %ld %a %p %ld", kRow, kNo, int64_t{2}, int64_t{2},
         1.0, static_cast<void*>(x), int64_t{2}, static_cast<void*>(x + 8), size, 0.0,
         static_cast<void*>(y), -size);
}

void by_pointer(int64_t size) {
  const float one = 1, zero = 0;
  sgemm_("N", "T", &size, &size, &size, &one, a, &size, b, &size, &zero, c, &size);
  expect("sgemm_ %c %c %ld %ld %ld %a %p %ld %p %ld %a %p %ld", 'N', 'T', size, size, size, 1.0,
         static_cast<void*>(a), size, static_cast<void*>(b), size, 0.0, static_cast<void*>(c),
         size);
}

}  // namespace

int main() {
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const int64_t size : kSizes) {
      by_value(size);
      by_pointer(size);
    }
  }
  say_failures();
}
