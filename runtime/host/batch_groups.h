// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/host/raw_call.h"

namespace triode::host {

// Distance between neighbours in an array of pointers, in elements; false if it varies, is negative
// or is no whole number of elements.
template <typename Scalar>
bool find_stride(Scalar* const* pointers, int64_t count, int64_t& stride) {
  constexpr int64_t kElementBytes = sizeof(Scalar);
  stride = 0;
  if (count < 2) return true;
  const auto at = [&](int64_t i) { return reinterpret_cast<intptr_t>(pointers[i]); };
  const int64_t bytes = at(1) - at(0);
  if (bytes < 0 || bytes % kElementBytes != 0) return false;
  for (int64_t i = 2; i < count; ++i) {
    if (at(i) - at(i - 1) != bytes) return false;
  }
  stride = bytes / kElementBytes;
  return true;
}

// The arguments of a cblas_?gemm_batch as they came: groups of matrices, each with sizes, spelling
// and scalars of its own. The pointers of all groups lie one after another.
template <typename Scalar, typename Int>
struct BatchGroups {
  int layout;
  const int* transpose_a;
  const int* transpose_b;
  const Int* m;
  const Int* n;
  const Int* k;
  const Scalar* alpha;
  const Scalar** a;
  const Int* lda;
  const Scalar** b;
  const Int* ldb;
  const Scalar* beta;
  Scalar** c;
  const Int* ldc;
  Int count;
  const Int* sizes;

  Spelling spelling(Int group) const { return {layout, transpose_a[group], transpose_b[group]}; }

  // Of a single matrix of the group.
  CallKey key(Int group) const {
    return {.m = m[group],
            .n = n[group],
            .k = k[group],
            .lda = lda[group],
            .ldb = ldb[group],
            .ldc = ldc[group]};
  }

  // Whether it is one group at equal distances, which one Problem can say: adds them to its key.
  bool is_even(CallKey& key) const {
    if (count != 1 || sizes[0] < 1) return false;
    key.batch = sizes[0];
    return find_stride(a, key.batch, key.a_stride) && find_stride(b, key.batch, key.b_stride) &&
           find_stride(c, key.batch, key.c_stride);
  }

  // Calls visit(group, place of the pointers) for every matrix.
  template <typename Visit>
  void for_each_matrix(const Visit& visit) const {
    size_t place = 0;
    for (Int group = 0; group < count; ++group) {
      for (Int i = 0; i < sizes[group]; ++i) visit(group, place++);
    }
  }
};

}  // namespace triode::host
