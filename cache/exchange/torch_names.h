// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/dtype.h"
#include "core/problem.h"

namespace triode::exchange {

// "float16", as torch calls a type; empty for types that Triode does not have.
std::optional<DType> dtype_of_torch(std::string_view name);
std::string_view torch_name(DType dtype);  // tf32 is stored as float32

// "mm", "bmm", "addmm", as aten calls them; empty for others.
std::optional<Op> op_of_aten(std::string_view name);

// How a matrix of rows x columns with these strides lies in memory, as Problem has it.
struct OperandLayout {
  bool is_transposed = false;
  int64_t leading_dimension = 0;
};
// Empty where a matmul library could not read it: neither stride is 1, or rows overlap.
std::optional<OperandLayout> layout_of(int64_t rows, int64_t columns, int64_t row_stride,
                                       int64_t column_stride);

// An m x n x k product on torch's types with tight leading dimensions; batch of 1 unless bmm.
Problem torch_problem(Op op, int64_t batch, int64_t m, int64_t n, int64_t k, DType a, DType b,
                      DType c);

}  // namespace triode::exchange
