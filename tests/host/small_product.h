// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <triode/triode.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace triode {

// Operands of a small matmul for the C interface, and what is to come of it. Elements are small
// whole numbers, so that any order of additions gives the same.
template <typename T>
class SmallProduct {
 public:
  // 3 x 4 x 5, row-major, with gaps between rows.
  static triode_gemm_call usual_shape() {
    triode_gemm_call shape = TRIODE_GEMM_CALL_INIT;
    shape.dtype = std::is_same_v<T, float> ? TRIODE_F32 : TRIODE_F64;
    shape.m = 3;
    shape.n = 4;
    shape.k = 5;
    shape.lda = shape.ldb = shape.ldc = 8;
    return shape;
  }

  // Leading dimensions and sizes are at most 8, strides at least 64. Operands begin `offset`
  // elements behind a cache line.
  explicit SmallProduct(const triode_gemm_call& shape = usual_shape(), size_t offset = 1)
      : call(shape),
        a_(memory(shape, 2)),
        b_(memory(shape, 3)),
        c_(memory(shape, 5)),
        before_(c_),
        offset_(offset) {
    call.a = at_offset(a_);
    call.b = at_offset(b_);
    call.c = at_offset(c_);
    before_ = c_;
  }
  SmallProduct(const SmallProduct&) = delete;
  SmallProduct& operator=(const SmallProduct&) = delete;

  bool is_untouched() const { return c_ == before_; }

  // Whether c holds the product, and its gaps what they held.
  bool is_computed() const {
    std::vector<T> expected = before_;
    for (int64_t i = 0; i < call.batch; ++i) multiply(i, expected);
    return c_ == expected;
  }

  triode_gemm_call call;

 private:
  static constexpr size_t kLineElements = 64 / sizeof(T);

  static std::vector<T> memory(const triode_gemm_call& shape, int factor) {
    std::vector<T> numbers(static_cast<size_t>(shape.batch) * 64 + 2 * kLineElements);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<T>(static_cast<int>(i) * factor % 7 - 3);
    }
    return numbers;
  }

  size_t first_of(const std::vector<T>& numbers) const {
    const size_t beyond = reinterpret_cast<uintptr_t>(numbers.data()) / sizeof(T) % kLineElements;
    return (kLineElements - beyond) % kLineElements + offset_;
  }
  T* at_offset(std::vector<T>& numbers) const { return numbers.data() + first_of(numbers); }

  static int64_t place(int64_t i, int64_t j, int64_t ld, bool by_rows) {
    return by_rows ? i * ld + j : j * ld + i;
  }

  void multiply(int64_t matrix, std::vector<T>& c) const {
    const bool by_rows = call.layout == TRIODE_ROW_MAJOR;
    const bool a_by_rows = by_rows == (call.transpose_a == TRIODE_NO_TRANSPOSE);
    const bool b_by_rows = by_rows == (call.transpose_b == TRIODE_NO_TRANSPOSE);
    const T* const a = static_cast<const T*>(call.a) + matrix * call.a_stride;
    const T* const b = static_cast<const T*>(call.b) + matrix * call.b_stride;
    T* const out = c.data() + first_of(c_) + matrix * call.c_stride;
    for (int64_t i = 0; i < call.m; ++i) {
      for (int64_t j = 0; j < call.n; ++j) {
        T sum = 0;
        for (int64_t l = 0; l < call.k; ++l) {
          sum += a[place(i, l, call.lda, a_by_rows)] * b[place(l, j, call.ldb, b_by_rows)];
        }
        T& element = out[place(i, j, call.ldc, by_rows)];
        element = static_cast<T>(call.alpha) * sum + static_cast<T>(call.beta) * element;
      }
    }
  }

  std::vector<T> a_;
  std::vector<T> b_;
  std::vector<T> c_;
  std::vector<T> before_;
  size_t offset_;
};

}  // namespace triode
