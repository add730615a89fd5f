// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/api_call.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "runtime/host/call_meaning.h"
#include "runtime/host/sized_struct.h"

namespace triode::host {
namespace {

// Programs were compiled with these.
static_assert(sizeof(triode_gemm_call) == 144 && offsetof(triode_gemm_call, c_stride) == 136);

std::string is(const char* name, int64_t value) {
  return std::string(name) + " is " + std::to_string(value);
}

size_t element_bytes(const triode_gemm_call& call) {
  return call.dtype == TRIODE_F64 ? sizeof(double) : sizeof(float);
}

// A matrix as it lies in memory: lines of neighbours, which are rows or columns.
struct StoredMatrix {
  const char* name;
  const char* ld_name;
  const char* stride_name;
  int64_t lines;
  int64_t length;
  int64_t ld;
  int64_t stride;
};

std::array<StoredMatrix, 3> matrices_of(const triode_gemm_call& call) {
  const bool by_rows = call.layout == TRIODE_ROW_MAJOR;
  const bool a_as_is = by_rows == (call.transpose_a == TRIODE_NO_TRANSPOSE);
  const bool b_as_is = by_rows == (call.transpose_b == TRIODE_NO_TRANSPOSE);
  const auto [m, n, k] = std::array{call.m, call.n, call.k};
  const bool is_batch = call.batch > 1;
  const auto stride = [=](int64_t of_batch) { return is_batch ? of_batch : 0; };
  return {
      {{"a", "lda", "a_stride", a_as_is ? m : k, a_as_is ? k : m, call.lda, stride(call.a_stride)},
       {"b", "ldb", "b_stride", b_as_is ? k : n, b_as_is ? n : k, call.ldb, stride(call.b_stride)},
       {"c", "ldc", "c_stride", by_rows ? m : n, by_rows ? n : m, call.ldc,
        stride(call.c_stride)}}};
}

// The checks below say whether all is well, and in `wrong` what is not: a Status each would cost
// more than they do.
bool blame(std::string text, std::string& wrong) {
  wrong = std::move(text);
  return false;
}

bool check_words(const triode_gemm_call& call, std::string& wrong) {
  if (call.dtype != TRIODE_F32 && call.dtype != TRIODE_F64) {
    return blame(is("dtype", call.dtype) + "; expected TRIODE_F32 or TRIODE_F64", wrong);
  }
  if (call.layout != TRIODE_ROW_MAJOR && call.layout != TRIODE_COLUMN_MAJOR) {
    return blame(is("layout", call.layout) + "; expected TRIODE_ROW_MAJOR or TRIODE_COLUMN_MAJOR",
                 wrong);
  }
  const auto check = [&](const char* name, int32_t word) {
    if (word >= TRIODE_NO_TRANSPOSE && word <= TRIODE_CONJUGATE_TRANSPOSE) return true;
    return blame(is(name, word) + "; expected TRIODE_NO_TRANSPOSE or TRIODE_TRANSPOSE", wrong);
  };
  return check("transpose_a", call.transpose_a) && check("transpose_b", call.transpose_b);
}

bool check_sizes(const triode_gemm_call& call, std::string& wrong) {
  const auto check = [&](const char* name, int64_t size) {
    return size >= 0 || blame(is(name, size) + "; sizes are not negative", wrong);
  };
  if (!check("m", call.m) || !check("n", call.n) || !check("k", call.k)) return false;
  if (call.batch >= 1) return true;
  return blame(is("batch", call.batch) + "; expected at least 1, which is a matmul without one",
               wrong);
}

bool check_strides(const StoredMatrix& matrix, std::string& wrong) {
  const int64_t least_ld = std::max<int64_t>(matrix.length, 1);
  if (matrix.ld < least_ld || matrix.ld > kLongestStride) {
    return blame(is(matrix.ld_name, matrix.ld) + "; expected " + std::to_string(least_ld) +
                     ", the length of a line of " + matrix.name + ", to " +
                     std::to_string(kLongestStride),
                 wrong);
  }
  if (matrix.stride >= 0 && matrix.stride <= kLongestStride) return true;
  return blame(
      is(matrix.stride_name, matrix.stride) + "; expected 0 to " + std::to_string(kLongestStride),
      wrong);
}

// Bytes that can be counted in 64 bits, so that offsets can, too.
bool check_extent(const StoredMatrix& matrix, const triode_gemm_call& call, std::string& wrong) {
  const __int128 elements = static_cast<__int128>(call.batch - 1) * matrix.stride +
                            static_cast<__int128>(matrix.lines) * matrix.ld;
  constexpr __int128 kMostBytes = std::numeric_limits<int64_t>::max();
  if (elements * static_cast<__int128>(element_bytes(call)) <= kMostBytes) return true;
  return blame(std::string(matrix.name) +
                   " spans more bytes than there are addresses; expected smaller sizes",
               wrong);
}

bool check_matrices(const triode_gemm_call& call, std::string& wrong) {
  for (const StoredMatrix& matrix : matrices_of(call)) {
    if (!check_strides(matrix, wrong) || !check_extent(matrix, call, wrong)) return false;
  }
  if (call.batch == 1 || call.m == 0 || call.n == 0 || call.c_stride != 0) return true;
  return blame("c_stride is 0, so that all results fall on the same memory; expected at least 1",
               wrong);
}

bool check_pointer(const char* name, const void* pointer, bool is_used, size_t element_bytes,
                   std::string& wrong) {
  if (is_used && pointer == nullptr) return blame(std::string(name) + " is NULL", wrong);
  if ((reinterpret_cast<uintptr_t>(pointer) & (element_bytes - 1)) == 0) return true;
  return blame(std::string(name) + " is not at a multiple of " + std::to_string(element_bytes) +
                   " bytes, as elements are",
               wrong);
}

// Sizes and strides that do not fit make it a call of the function with 64-bit ones.
bool needs_wide_sizes(const triode_gemm_call& shape) {
  const CallKey sizes = sizes_of(shape);
  const int64_t largest = std::max({sizes.m, sizes.n, sizes.k, sizes.lda, sizes.ldb, sizes.ldc,
                                    sizes.batch, sizes.a_stride, sizes.b_stride, sizes.c_stride});
  return largest > std::numeric_limits<int32_t>::max();
}

}  // namespace

Status check_shape(const triode_gemm_call* call, const char* name) {
  TRIODE_TRY(check_input_struct(call, sizeof(triode_gemm_call), name));
  std::string wrong;
  if (check_words(*call, wrong) && check_sizes(*call, wrong) && check_matrices(*call, wrong)) {
    return {};
  }
  return invalid_argument(std::move(wrong));
}

Status check_pointers(const triode_gemm_call& call) {
  const bool writes_c = call.m > 0 && call.n > 0;
  const bool reads_a_b = writes_c && call.k > 0 && call.alpha != 0;
  const size_t bytes = element_bytes(call);
  std::string wrong;
  if (check_pointer("a", call.a, reads_a_b, bytes, wrong) &&
      check_pointer("b", call.b, reads_a_b, bytes, wrong) &&
      check_pointer("c", call.c, writes_c, bytes, wrong)) {
    return {};
  }
  return invalid_argument(std::move(wrong));
}

Symbol symbol_of(const triode_gemm_call& shape) {
  const bool is_double = shape.dtype == TRIODE_F64;
  const bool is_wide = needs_wide_sizes(shape);
  if (shape.batch == 1) {
    if (is_wide) return is_double ? Symbol::k_cblas_dgemm64_ : Symbol::k_cblas_sgemm64_;
    return is_double ? Symbol::k_cblas_dgemm : Symbol::k_cblas_sgemm;
  }
  if (is_wide) {
    return is_double ? Symbol::k_cblas_dgemm_batch_strided64_
                     : Symbol::k_cblas_sgemm_batch_strided64_;
  }
  return is_double ? Symbol::k_cblas_dgemm_batch_strided : Symbol::k_cblas_sgemm_batch_strided;
}

Spelling spelling_of(const triode_gemm_call& shape) {
  return {shape.layout, shape.transpose_a, shape.transpose_b};
}

CallKey sizes_of(const triode_gemm_call& shape) {
  CallKey key{.m = shape.m,
              .n = shape.n,
              .k = shape.k,
              .lda = shape.lda,
              .ldb = shape.ldb,
              .ldc = shape.ldc};
  if (shape.batch == 1) return key;
  key.batch = shape.batch;
  key.a_stride = shape.a_stride;
  key.b_stride = shape.b_stride;
  key.c_stride = shape.c_stride;
  return key;
}

// Not inlined: GCC 12 vectorises the conversions of alpha and beta together and thereby drops them.
[[gnu::noinline]] double rounded_to(int32_t dtype, double scalar) {
  return dtype == TRIODE_F64 ? scalar : double{static_cast<float>(scalar)};
}

RawCall raw_call(const triode_gemm_call& call, const CallSite& site) {
  RawCall raw{.key = sizes_of(call),
              .a = call.a,
              .b = call.b,
              .c = call.c,
              .alpha = rounded_to(call.dtype, call.alpha),
              .beta = rounded_to(call.dtype, call.beta)};
  raw.key.traits = site.traits | call_traits::of_spelling(spelling_of(call)) |
                   call_traits::of_scalars(raw.alpha, raw.beta);
  return raw;
}

}  // namespace triode::host
