// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/torch_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace triode::exchange {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 7> kTypes{{
    {"float32", DType::kF32},
    {"float64", DType::kF64},
    {"float16", DType::kF16},
    {"bfloat16", DType::kBF16},
    {"float8_e4m3fn", DType::kF8E4M3},
    {"int8", DType::kI8},
    {"int32", DType::kI32},
}};

}  // namespace

std::optional<DType> dtype_of_torch(std::string_view name) {
  for (const auto& [torch, dtype] : kTypes) {
    if (torch == name) return dtype;
  }
  return std::nullopt;
}

std::string_view torch_name(DType dtype) {
  if (dtype == DType::kTF32) return "float32";
  for (const auto& [torch, type] : kTypes) {
    if (type == dtype) return torch;
  }
  return "?";
}

std::optional<Op> op_of_aten(std::string_view name) {
  if (name == "mm") return Op::kMm;
  if (name == "bmm") return Op::kBmm;
  if (name == "addmm") return Op::kAddmm;
  return std::nullopt;
}

std::optional<OperandLayout> layout_of(int64_t rows, int64_t columns, int64_t row_stride,
                                       int64_t column_stride) {
  if (column_stride == 1 && row_stride >= std::max<int64_t>(columns, 1)) {
    return OperandLayout{false, row_stride};
  }
  if (row_stride == 1 && column_stride >= std::max<int64_t>(rows, 1)) {
    return OperandLayout{true, column_stride};
  }
  return std::nullopt;
}

Problem torch_problem(Op op, int64_t batch, int64_t m, int64_t n, int64_t k, DType a, DType b,
                      DType c) {
  Problem problem = Problem::mm(a, m, n, k);
  problem.op = op;
  problem.batch = batch;
  problem.b_type = b;
  problem.c_type = c;
  problem.make_tight();
  // torch's addmm adds a bias, which Inductor and cuBLASLt treat as an epilogue.
  if (op == Op::kAddmm) problem.epilogue = Epilogue::kBias;
  return problem;
}

}  // namespace triode::exchange
