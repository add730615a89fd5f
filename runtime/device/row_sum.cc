// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/row_sum.h"

#include <cassert>
#include <cstring>

namespace triode {
namespace {

// The build has no -march, so this function asks for AVX2 itself: no part of a threaded matmul can
// be built on a processor without it.
template <typename T>
__attribute__((target("avx2"))) void add(T* sum, const T* term, int64_t count) {
  typedef T Vector __attribute__((vector_size(32)));
  constexpr int64_t kLanes = sizeof(Vector) / sizeof(T);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Vector s;
    Vector t;
    std::memcpy(&s, sum + i, sizeof s);
    std::memcpy(&t, term + i, sizeof t);
    s += t;
    std::memcpy(sum + i, &s, sizeof s);
  }
  for (; i < count; ++i) sum[i] += term[i];
}

}  // namespace

void add_to_row(DType dtype, void* sum, const void* term, int64_t count) {
  assert(dtype == DType::kF32 || dtype == DType::kF64);
  if (dtype == DType::kF32) {
    add(static_cast<float*>(sum), static_cast<const float*>(term), count);
  } else {
    add(static_cast<double*>(sum), static_cast<const double*>(term), count);
  }
}

}  // namespace triode
