// SPDX-License-Identifier: Apache-2.0
#include "runtime/search/problem_operands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/random.h"

namespace triode {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr int32_t kCacheLineBytes = 64;

// What stands for "any value". A beta below 1 keeps c bounded over repeated calls, so that a long
// timing never meets infinities.
constexpr double kOtherAlpha = 1.5;
constexpr double kOtherBeta = 0.5;

double scalar_value(ScalarClass scalar, double other) {
  switch (scalar) {
    case ScalarClass::kZero:
      return 0;
    case ScalarClass::kOne:
      return 1;
    case ScalarClass::kMinusOne:
      return -1;
    case ScalarClass::kOther:
      break;
  }
  return other;
}

// How an operand lies in memory, in elements.
struct Layout {
  int64_t rows;
  int64_t columns;
  int64_t ld;
  int64_t batch;
  int64_t stride;

  int64_t extent() const { return std::max<int64_t>(batch - 1, 0) * stride + rows * ld; }
};

Layout layout_of_a(const Problem& p) {
  return {p.a_transposed ? p.k : p.m, p.a_transposed ? p.m : p.k, p.lda, p.batch, p.a_batch_stride};
}
Layout layout_of_b(const Problem& p) {
  return {p.b_transposed ? p.n : p.k, p.b_transposed ? p.k : p.n, p.ldb, p.batch, p.b_batch_stride};
}
Layout layout_of_c(const Problem& p) {
  return {p.m, p.n, p.ldc, p.batch, p.c_batch_stride};
}

template <typename T>
void fill_with_eighths(T* data, const Layout& layout, Random& random) {
  std::fill_n(data, layout.extent(), std::numeric_limits<T>::quiet_NaN());
  const int64_t matrices = layout.stride == 0 ? 1 : layout.batch;  // or else the same, repeated
  for (int64_t z = 0; z < matrices; ++z) {
    for (int64_t i = 0; i < layout.rows; ++i) {
      T* const row = data + z * layout.stride + i * layout.ld;
      for (int64_t j = 0; j < layout.columns; ++j) {
        row[j] = (static_cast<T>(random.below(17)) - 8) / 8;
      }
    }
  }
}

Status check_supported(const Problem& problem) {
  const DType dtype = problem.c_type;
  const bool one_type = problem.a_type == dtype && problem.b_type == dtype;
  if (!one_type || (dtype != DType::kF32 && dtype != DType::kF64) ||
      problem.epilogue != Epilogue::kNone) {
    return unsupported("no reference result for '" + to_string(problem) +
                       "': only f32 and f64 without an epilogue can be checked");
  }
  if (problem.alignment_bytes < size_bytes(dtype)) {
    return unsupported("no operands for '" + to_string(problem) +
                       "': they would not be aligned to their elements");
  }
  return {};
}

}  // namespace

double operand_bytes(const Problem& problem) {
  const auto bytes = [](const Layout& layout, DType dtype) {
    return static_cast<double>(layout.extent()) * static_cast<double>(size_bytes(dtype));
  };
  return bytes(layout_of_a(problem), problem.a_type) + bytes(layout_of_b(problem), problem.b_type) +
         bytes(layout_of_c(problem), problem.c_type);
}

ProblemOperands::Buffer ProblemOperands::allocate(int64_t elements, const Problem& problem) {
  const auto offset = static_cast<size_t>(problem.alignment_bytes % kCacheLineBytes);
  const size_t bytes = static_cast<size_t>(elements * size_bytes(problem.c_type)) + offset + 1;
  Buffer buffer;
  buffer.memory.reset(
      std::aligned_alloc(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes));
  if (buffer.memory) buffer.data = static_cast<char*>(buffer.memory.get()) + offset;
  return buffer;
}

ProblemOperands::ProblemOperands(const Problem& problem)
    : problem_(problem),
      a_(allocate(layout_of_a(problem).extent(), problem)),
      b_(allocate(layout_of_b(problem).extent(), problem)),
      c_(allocate(layout_of_c(problem).extent(), problem)) {
  operands_.a = a_.data;
  operands_.b = b_.data;
  operands_.c = c_.data;
  operands_.alpha = scalar_value(problem.alpha, kOtherAlpha);
  operands_.beta = scalar_value(problem.beta, kOtherBeta);
}

Result<ProblemOperands> ProblemOperands::make(const Problem& problem, uint64_t seed) {
  TRIODE_TRY(check_supported(problem));
  ProblemOperands made(problem);
  if (made.a_.data == nullptr || made.b_.data == nullptr || made.c_.data == nullptr) {
    return resource_exhausted("no memory for the operands of '" + to_string(problem) + "'");
  }
  if (problem.c_type == DType::kF32) {
    made.fill<float>(seed);
  } else {
    made.fill<double>(seed);
  }
  made.reset_c();
  return made;
}

template <typename T>
void ProblemOperands::fill(uint64_t seed) {
  Random random(seed);
  fill_with_eighths(static_cast<T*>(a_.data), layout_of_a(problem_), random);
  fill_with_eighths(static_cast<T*>(b_.data), layout_of_b(problem_), random);
}

template <typename T>
void ProblemOperands::reset_c_as() {
  T* const c = static_cast<T*>(c_.data);
  const Layout layout = layout_of_c(problem_);
  std::fill_n(c, layout.extent(), static_cast<T>(kGap));
  for (int64_t z = 0; z < layout.batch; ++z) {
    for (int64_t i = 0; i < layout.rows; ++i) {
      T* const row = c + z * layout.stride + i * layout.ld;
      if (operands_.beta == 0) {
        std::fill_n(row, layout.columns, std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      for (int64_t j = 0; j < layout.columns; ++j) row[j] = static_cast<T>(initial_c(z, i, j));
    }
  }
}

void ProblemOperands::reset_c() {
  if (problem_.c_type == DType::kF32) {
    reset_c_as<float>();
  } else {
    reset_c_as<double>();
  }
}

double ProblemOperands::tolerance() const {
  const double eps = problem_.c_type == DType::kF32 ? std::numeric_limits<float>::epsilon()
                                                    : std::numeric_limits<double>::epsilon();
  return (static_cast<double>(problem_.k) + 4) * eps *
         (std::abs(operands_.alpha) + std::abs(operands_.beta));
}

int64_t ProblemOperands::c_elements() const {
  return layout_of_c(problem_).extent();
}

}  // namespace triode
