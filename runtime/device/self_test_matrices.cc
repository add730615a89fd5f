// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/self_test_matrices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/problem_layout.h"
#include "runtime/device/typed_element.h"

namespace triode {
namespace {

// 0xff everywhere is a NaN of every type.
constexpr char kNan = '\xff';
// How far gelu and silu may be off: the GPU's exponential, and one rounding to c's type.
constexpr double kFunctionError = 1e-4;
constexpr double kRounding16 = 1.0 / 128;

// A value that depends on the position alone, and has no period that a stride could have.
double value_at(uint64_t operand, int64_t at, DType type) {
  uint64_t x = static_cast<uint64_t>(at) * 0x9e3779b97f4a7c15u + operand * 0xd1b54a32d192ed03u;
  x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
  // An 8-bit product keeps few bits of its sums on some GPUs.
  const uint64_t steps = type == DType::kF8E4M3 ? 2 : 8;
  return static_cast<double>(static_cast<int64_t>((x >> 33) % (2 * steps + 1)) -
                             static_cast<int64_t>(steps)) /
         static_cast<double>(steps);
}

// 0, 0.5 and 1, of either sign.
char f8e4m3_of(double value) {
  const double magnitude = std::abs(value);
  const int bits = magnitude == 0 ? 0 : magnitude < 1 ? 0x30 : 0x38;
  return static_cast<char>(bits | (value < 0 ? 0x80 : 0));
}

struct Layout {
  DType type;
  int64_t rows, columns, ld, batch, stride;
};

// Fills the elements of a matrix; gaps keep NaNs.
void fill(const Layout& layout, uint64_t operand, std::string& bytes, std::vector<double>& values) {
  const int64_t extent = (layout.batch - 1) * layout.stride + layout.rows * layout.ld;
  const auto size = static_cast<size_t>(size_bytes(layout.type));
  bytes.assign(static_cast<size_t>(extent) * size, kNan);
  values.assign(static_cast<size_t>(extent), 0);
  for (int64_t batch = 0; batch < layout.batch; ++batch) {
    for (int64_t row = 0; row < layout.rows; ++row) {
      for (int64_t column = 0; column < layout.columns; ++column) {
        const auto at = static_cast<size_t>(batch * layout.stride + row * layout.ld + column);
        values[at] = value_at(operand, static_cast<int64_t>(at), layout.type);
        if (layout.type == DType::kF8E4M3) {
          bytes[at] = f8e4m3_of(values[at]);
        } else {
          store_element(&bytes[at * size], layout.type, values[at]);
        }
      }
    }
  }
}

double activated(Epilogue epilogue, double x) {
  switch (epilogue) {
    case Epilogue::kRelu:
    case Epilogue::kBiasRelu:
      return std::max(x, 0.0);
    case Epilogue::kSilu:
    case Epilogue::kBiasSilu:
      return x / (1 + std::exp(-x));
    case Epilogue::kGelu:
    case Epilogue::kBiasGelu:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    default:
      return x;
  }
}

bool is_exact(Epilogue epilogue) {
  return epilogue == Epilogue::kNone || epilogue == Epilogue::kBias ||
         epilogue == Epilogue::kRelu || epilogue == Epilogue::kBiasRelu;
}
bool has_bias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kBiasRelu ||
         epilogue == Epilogue::kBiasGelu || epilogue == Epilogue::kBiasSilu;
}

bool is_right(double is, double want, const Problem& problem) {
  if (is_exact(problem.epilogue)) {
    char rounded[sizeof(double)];
    store_element(rounded, problem.c_type, want);
    return is == load_element(rounded, problem.c_type);
  }
  const double rounding = size_bytes(problem.c_type) == 2 ? kRounding16 : 0;
  return std::abs(is - want) <= (kFunctionError + rounding) * std::max(std::abs(want), 1.0);
}

Status wrong(const char* what, int64_t batch, int64_t i, int64_t j, double is, double want) {
  return internal_error(std::string(what) + ' ' + std::to_string(i) + ',' + std::to_string(j) +
                        " of matrix " + std::to_string(batch) + " is " + std::to_string(is) +
                        " and not " + std::to_string(want));
}

}  // namespace

Result<SelfTestMatrices> SelfTestMatrices::make(CudaDevice& device, const Problem& problem,
                                                double alpha, double beta) {
  SelfTestMatrices made(problem);
  const PerOperand rows = stored_rows(problem), columns = stored_columns(problem);
  const PerOperand lds = leading_dimensions(problem), strides = batch_strides(problem);
  const DType types[] = {problem.a_type, problem.b_type, problem.c_type};
  CudaBuffer* const buffers[] = {&made.a_, &made.b_, &made.c_};
  std::vector<double>* const values[] = {&made.a_values_, &made.b_values_, &made.c_values_};
  const auto upload = [&](CudaBuffer& buffer, const std::string& bytes) -> Status {
    buffer = TRIODE_TRY(device.allocate(bytes.size()));
    return buffer.upload(bytes.data());
  };
  std::string bytes;
  for (size_t i = 0; i < 3; ++i) {
    fill({types[i], rows[i], columns[i], lds[i], problem.batch, strides[i]}, i, bytes, *values[i]);
    if (i == 2) {
      if (beta == 0) std::fill(bytes.begin(), bytes.end(), kNan);
      made.c_bytes_ = bytes;
    }
    TRIODE_TRY(upload(*buffers[i], bytes));
  }
  fill({problem.c_type, 1, problem.n, problem.n, 1, 0}, 3, bytes, made.bias_values_);
  TRIODE_TRY(upload(made.bias_, bytes));
  const float one = 1;
  TRIODE_TRY(upload(made.ones_, std::string(reinterpret_cast<const char*>(&one), sizeof one)));
  made.operands_.a = made.a_.data();
  made.operands_.b = made.b_.data();
  made.operands_.c = made.c_.data();
  made.operands_.bias = made.bias_.data();
  made.operands_.alpha = alpha;
  made.operands_.beta = beta;
  return made;
}

Result<std::string> SelfTestMatrices::result() const {
  std::string bytes(c_.size_bytes(), '\0');
  TRIODE_TRY(c_.download(bytes.data()));
  return bytes;
}

double SelfTestMatrices::expected(int64_t batch, int64_t i, int64_t j) const {
  const Problem& p = problem_;
  double sum = 0;
  for (int64_t l = 0; l < p.k; ++l) {
    const int64_t a = batch * p.a_batch_stride + (p.a_transposed ? l * p.lda + i : i * p.lda + l);
    const int64_t b = batch * p.b_batch_stride + (p.b_transposed ? j * p.ldb + l : l * p.ldb + j);
    sum += a_values_[static_cast<size_t>(a)] * b_values_[static_cast<size_t>(b)];
  }
  sum *= operands_.alpha;
  const int64_t c = batch * p.c_batch_stride + i * p.ldc + j;
  if (operands_.beta != 0) sum += operands_.beta * c_values_[static_cast<size_t>(c)];
  if (has_bias(p.epilogue)) sum += bias_values_[static_cast<size_t>(j)];
  return activated(p.epilogue, sum);
}

Status SelfTestMatrices::compare() const {
  const std::string found = TRIODE_TRY(result());
  const auto size = static_cast<size_t>(size_bytes(problem_.c_type));
  for (int64_t batch = 0; batch < problem_.batch; ++batch) {
    for (int64_t i = 0; i < problem_.m; ++i) {
      for (int64_t j = 0; j < problem_.ldc; ++j) {
        const auto at =
            static_cast<size_t>(batch * problem_.c_batch_stride + i * problem_.ldc + j) * size;
        const double is = load_element(&found[at], problem_.c_type);
        if (j >= problem_.n) {
          if (found.compare(at, size, c_bytes_, at, size) == 0) continue;
          return wrong("the gap behind element", batch, i, problem_.n - 1, is, NAN);
        }
        const double want = expected(batch, i, j);
        if (!is_right(is, want, problem_)) return wrong("element", batch, i, j, is, want);
      }
    }
  }
  return {};
}

}  // namespace triode
