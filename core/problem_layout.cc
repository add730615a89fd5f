// SPDX-License-Identifier: Apache-2.0
#include "core/problem_layout.h"

#include <cstddef>
#include <limits>

namespace triode {
namespace {

constexpr int64_t kOutOfRange = std::numeric_limits<int64_t>::max();

int64_t saturating_product(int64_t x, int64_t y) {
  int64_t product = 0;
  return __builtin_mul_overflow(x, y, &product) ? kOutOfRange : product;
}

int64_t round_up(int64_t value, int64_t multiple) {
  int64_t raised = 0;
  if (__builtin_add_overflow(value, multiple - 1, &raised)) return kOutOfRange;
  return raised / multiple * multiple;
}

}  // namespace

PerOperand element_bytes(const Problem& problem) {
  return {size_bytes(problem.a_type), size_bytes(problem.b_type), size_bytes(problem.c_type)};
}

PerOperand leading_dimensions(const Problem& problem) {
  return {problem.lda, problem.ldb, problem.ldc};
}

PerOperand batch_strides(const Problem& problem) {
  return {problem.a_batch_stride, problem.b_batch_stride, problem.c_batch_stride};
}

PerOperand stored_rows(const Problem& problem) {
  return {problem.a_transposed ? problem.k : problem.m,
          problem.b_transposed ? problem.n : problem.k, problem.m};
}

PerOperand stored_columns(const Problem& problem) {
  return {problem.min_lda(), problem.min_ldb(), problem.min_ldc()};
}

void set_leading_dimensions(const PerOperand& lds, Problem& problem) {
  problem.lda = lds[0];
  problem.ldb = lds[1];
  problem.ldc = lds[2];
}

void set_batch_strides(const PerOperand& strides, Problem& problem) {
  problem.a_batch_stride = strides[0];
  problem.b_batch_stride = strides[1];
  problem.c_batch_stride = strides[2];
}

PerOperand aligned_leading_dimensions(const Problem& problem) {
  const PerOperand columns = stored_columns(problem);
  const PerOperand bytes = element_bytes(problem);
  PerOperand lds{};
  for (size_t i = 0; i < lds.size(); ++i) lds[i] = round_up(columns[i], kCacheLineBytes / bytes[i]);
  return lds;
}

PerOperand default_batch_strides(const Problem& problem) {
  if (problem.op != Op::kBmm) return {0, 0, 0};
  const PerOperand rows = stored_rows(problem);
  const PerOperand lds = leading_dimensions(problem);
  PerOperand strides{};
  for (size_t i = 0; i < strides.size(); ++i) strides[i] = saturating_product(rows[i], lds[i]);
  return strides;
}

DType default_accumulator(DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kBF16:
    case DType::kF8E4M3:
    case DType::kTF32:
      return DType::kF32;
    case DType::kI8:
      return DType::kI32;
    case DType::kF32:
    case DType::kF64:
    case DType::kI32:
      break;
  }
  return dtype;
}

}  // namespace triode
