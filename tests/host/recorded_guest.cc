// SPDX-License-Identifier: Apache-2.0
// Makes calls that no kernel of Triode's may answer, each to a BLAS that keeps its arguments, and
// prints what it kept beside what was said.
//   recorded_guest          all but the next
//   recorded_guest unread   a batch whose arrays nobody may look at
#include <cstdint>
#include <limits>

#include "tests/host/expected_call.h"
#include "tests/host/guest_matmul.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*,
            const float*, const int*, const float*, const int*, const float*, float*, const int*,
            size_t, size_t);
void cblas_sgemv(int, int, int, int, float, const float*, int, const float*, int, float, float*,
                 int);
void cblas_sgemm_batch(int, const int*, const int*, const int*, const int*, const int*,
                       const float*, const float**, const int*, const float**, const int*,
                       const float*, float**, const int*, int, const int*);
void cblas_dgemm64_(int, int, int, int64_t, int64_t, int64_t, double, const double*, int64_t,
                    const double*, int64_t, double, double*, int64_t);
}

namespace {

constexpr int kRow = guest::kRowMajor, kNo = guest::kNoTranspose;
constexpr int kMost = std::numeric_limits<int>::max();
constexpr int64_t kMostWide = std::numeric_limits<int64_t>::max();

float a[64], b[64], c[64];
double wide[64];

struct Sgemm {
  int layout = kRow, ta = kNo, tb = kNo, m = 2, n = 2, k = 2;
  float alpha = 1;
  const float* a = ::a;
  int lda = 2;
  const float* b = ::b;
  int ldb = 2;
  float beta = 0;
  float* c = ::c;
  int ldc = 2;
};

void call(const Sgemm& x) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    cblas_sgemm(x.layout, x.ta, x.tb, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c,
                x.ldc);
    expect("cblas_sgemm %d %d %d %d %d %d %a %p %d %p %d %a %p %d", x.layout, x.ta, x.tb, x.m, x.n,
           x.k, static_cast<double>(x.alpha), static_cast<const void*>(x.a), x.lda,
           static_cast<const void*>(x.b), x.ldb, static_cast<double>(x.beta),
           static_cast<void*>(x.c), x.ldc);
  }
}

void nonsense() {
  call({.layout = 0});
  call({.layout = 7});
  call({.layout = -1});
  call({.layout = kRow + 256});
  call({.ta = 0});
  call({.tb = 114});
  call({.ta = kNo + 65536});
  call({.m = -1});
  call({.n = -kMost});
  call({.k = -1});
  call({.lda = 1});
  call({.ldb = 0});
  call({.ldc = -2});
}

void empty() {
  call({.m = 0});
  call({.n = 0});
  call({.k = 0});
  call({.m = 0, .a = nullptr, .b = nullptr, .c = nullptr});
  call({.k = 0, .a = nullptr, .b = nullptr, .beta = 2});
}

void huge() {
  call({.m = kMost, .n = kMost, .k = kMost, .lda = kMost, .ldb = kMost, .ldc = kMost});
  call({.m = kMost, .n = 1, .k = kMost, .lda = kMost, .ldb = 1, .ldc = 1});
  for (const int64_t size : {kMostWide, kMostWide / 2, int64_t{1} << 40, int64_t{1} << 33}) {
    cblas_dgemm64_(kRow, kNo, kNo, size, size, size, 1, wide, size, wide + 8, size, 0, wide + 16,
                   size);
    expect("cblas_dgemm64_ %d %d %d %ld %ld %ld %a %p %ld %p %ld %a %p %ld", kRow, kNo, kNo, size,
           size, size, 1.0, static_cast<void*>(wide), size, static_cast<void*>(wide + 8), size, 0.0,
           static_cast<void*>(wide + 16), size);
  }
}

void overlapping() {
  call({.c = a});
  call({.c = b});
  call({.c = a + 3});
  call({.a = c + 3});
  call({.b = c + 2, .ldc = 8});
}

void null_pointers() {
  call({.a = nullptr});
  call({.b = nullptr});
  call({.c = nullptr});
}

void misaligned() {
  call({.a = reinterpret_cast<const float*>(reinterpret_cast<const char*>(a) + 1)});
}

void fortran() {
  const int m = -5, two = 2;
  const float alpha = 0.5, beta = 3;
  sgemm_("x", "q", &m, &two, &two, &alpha, a, &two, b, &two, &beta, c, &two, 17, 4);
  expect("sgemm_ %c %c %d %d %d %a %p %d %p %d %a %p %d %zu %zu", 'x', 'q', m, two, two,
         static_cast<double>(alpha), static_cast<void*>(a), two, static_cast<void*>(b), two,
         static_cast<double>(beta), static_cast<void*>(c), two, size_t{17}, size_t{4});
}

void negative_steps() {
  cblas_sgemv(kRow, kNo, 2, 3, 1, a, 3, b, -1, 0, c, -2);
  expect("cblas_sgemv %d %d %d %d %a %p %d %p %d %a %p %d", kRow, kNo, 2, 3, 1.0,
         static_cast<void*>(a), 3, static_cast<void*>(b), -1, 0.0, static_cast<void*>(c), -2);
}

void unread_batch() {
  const int* const none = nullptr;
  cblas_sgemm_batch(kRow, none, none, none, none, none, nullptr, nullptr, none, nullptr, none,
                    nullptr, nullptr, none, 1, none);
  void* const nowhere = nullptr;
  expect("cblas_sgemm_batch %d %p %p %p %d %p", kRow, nowhere, nowhere, nowhere, 1, nowhere);
}

}  // namespace

int main(int count, char**) {
  if (count > 1) {
    unread_batch();
    return say_failures(), 0;
  }
  nonsense();
  empty();
  huge();
  overlapping();
  null_pointers();
  misaligned();
  fortran();
  negative_steps();
  say_failures();
}
