// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/status.h"

namespace triode {

enum class Op : uint8_t {
  kMm,     // c = alpha * a b + beta * c
  kBmm,    // the same for each of `batch` matrices, at fixed strides
  kAddmm,  // mm with an epilogue
};

enum class Epilogue : uint8_t {
  kNone,
  kBias,
  kRelu,
  kGelu,
  kSilu,
  kBiasRelu,
  kBiasGelu,
  kBiasSilu
};

// What code may assume of alpha or beta. kOther stands for any value, the named ones included.
enum class ScalarClass : uint8_t { kZero, kOne, kMinusOne, kOther };

// How the rows of the three operands lie in memory. For features and for sharing knowledge between
// problems; execution always uses the exact leading dimensions.
enum class LdClass : uint8_t {
  kAligned,   // every row starts on a cache line
  kTight,     // rows follow each other without a gap, and some cross cache lines
  kPadded,    // gaps, and some rows cross cache lines
  kConflict,  // some row pitch is a multiple of 4 KiB, so that rows fight for cache sets
};

// Shapes and types of one matmul call, in row-major terms: op(a) is m x k, op(b) is k x n, c is m x
// n. A column-major call is the row-major one with a and b, m and n exchanged (see
// from_column_major). A plain value; equality is exact. Two calls with equal Problems may run the
// same code.
struct Problem {
  Op op = Op::kMm;
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  DType a_type = DType::kF32;
  DType b_type = DType::kF32;
  DType c_type = DType::kF32;
  DType accumulator = DType::kF32;
  bool a_transposed = false;  // a is stored k x m
  bool b_transposed = false;  // b is stored n x k
  int64_t lda = 0;            // elements from one stored row to the next
  int64_t ldb = 0;
  int64_t ldc = 0;
  int64_t a_batch_stride =
      0;  // elements from one matrix of the batch to the next; 0 repeats the same
  int64_t b_batch_stride = 0;
  int64_t c_batch_stride = 0;
  int32_t alignment_bytes = 64;  // largest power of two, at most 64, that divides every pointer
  Epilogue epilogue = Epilogue::kNone;
  ScalarClass alpha = ScalarClass::kOne;
  ScalarClass beta = ScalarClass::kZero;
  int32_t threads = 1;  // most threads a plan for this call may use

  bool operator==(const Problem&) const = default;

  // An m x n x k product of one type with tight leading dimensions; accumulates in that type
  // (tf32, f16, bf16 and f8 in f32, i8 in i32).
  static Problem mm(DType dtype, int64_t m, int64_t n, int64_t k, bool a_transposed = false,
                    bool b_transposed = false);

  // The least leading dimensions that the stored shapes allow.
  int64_t min_lda() const { return a_transposed ? m : k; }
  int64_t min_ldb() const { return b_transposed ? k : n; }
  int64_t min_ldc() const { return n; }
  void make_tight();

  LdClass ld_class() const;
  double flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
  // Bytes of the three operands, each touched once (c twice if beta is not zero).
  double bytes() const;

  // Sizes not negative, leading dimensions long enough, alignment a power of two, products in
  // range.
  Status validate() const;
};

// Exchanges the roles of a and b, m and n: turns the description of a column-major call, read as if
// it were row-major, into the row-major problem that computes the same memory. Its own inverse.
Problem from_column_major(const Problem& problem);

ScalarClass classify_scalar(double value);

std::string_view to_string(Op op);
std::string_view to_string(Epilogue epilogue);
std::string_view to_string(ScalarClass scalar);
std::string_view to_string(LdClass ld_class);

// Canonical text: `mm f32 512x512x512 nt ld-aligned`. Order: op, dtype (or a,b,c,accumulator),
// sizes (bmm: batch first), transposes; then, only where they differ from the default, `ld-tight`,
// `ld-aligned` or `ld=a,b,c`, `strides=a,b,c`, `align=16`, `epilogue=bias`, `alpha=other`,
// `beta=1`, `threads=8`. Tight leading dimensions are the default and are not printed, unless they
// are also the aligned ones. parse_problem(to_string(p)) == p for every valid p.
std::string to_string(const Problem& problem);

// Reads that text. Tokens after the transposes may come in any order. An error names the token, its
// column and what would be accepted there.
Result<Problem> parse_problem(std::string_view text);

}  // namespace triode
