// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/test_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "core/random.h"

namespace triode::bench {
namespace {

constexpr std::size_t kPageBytes = 4096;

// Values of c before the call when beta is not zero.
constexpr double kInitialC = 0.5;

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

std::int64_t extent(std::int64_t rows, std::int64_t ld, std::int64_t batch, std::int64_t stride) {
  return (batch - 1) * stride + rows * ld;
}

std::int64_t a_elements(const Problem& p) {
  return extent(p.a_transposed ? p.k : p.m, p.lda, p.batch, p.a_batch_stride);
}
std::int64_t b_elements(const Problem& p) {
  return extent(p.b_transposed ? p.n : p.k, p.ldb, p.batch, p.b_batch_stride);
}
std::int64_t c_elements(const Problem& p) {
  return extent(p.m, p.ldc, p.batch, p.c_batch_stride);
}

template <typename T>
void fill_with_eighths(T* data, std::int64_t count, Random& random) {
  for (std::int64_t i = 0; i < count; ++i) {
    data[i] = (static_cast<T>(random.below(17)) - 8) / 8;
  }
}

// row += a(i, p) * op(b)(p, :), for all p.
template <typename T>
void accumulate_row(const Problem& problem, const T* a, const T* b, std::int64_t i, double* row) {
  const std::int64_t a_row = problem.a_transposed ? 1 : problem.lda;
  const std::int64_t a_step = problem.a_transposed ? problem.lda : 1;
  if (problem.b_transposed) {
    for (std::int64_t j = 0; j < problem.n; ++j) {
      const T* const column = b + j * problem.ldb;
      double sum = 0;
      for (std::int64_t p = 0; p < problem.k; ++p) {
        sum += static_cast<double>(a[i * a_row + p * a_step]) * static_cast<double>(column[p]);
      }
      row[j] += sum;
    }
    return;
  }
  for (std::int64_t p = 0; p < problem.k; ++p) {
    const double factor = static_cast<double>(a[i * a_row + p * a_step]);
    const T* const b_row = b + p * problem.ldb;
    for (std::int64_t j = 0; j < problem.n; ++j) row[j] += factor * static_cast<double>(b_row[j]);
  }
}

}  // namespace

void TestCase::AlignedFree::operator()(void* memory) const {
  std::free(memory);
}

TestCase::Buffer TestCase::allocate(std::int64_t elements, const Problem& problem) {
  const auto offset = static_cast<std::size_t>(problem.alignment_bytes % 64);
  const std::size_t bytes =
      static_cast<std::size_t>(elements * size_bytes(problem.c_type)) + offset + 1;
  Buffer buffer;
  buffer.memory.reset(
      std::aligned_alloc(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes));
  if (buffer.memory) buffer.data = static_cast<char*>(buffer.memory.get()) + offset;
  return buffer;
}

TestCase::TestCase(const Problem& problem, std::uint64_t seed)
    : problem_(problem),
      a_(allocate(a_elements(problem), problem)),
      b_(allocate(b_elements(problem), problem)),
      c_(allocate(c_elements(problem), problem)) {
  operands_.a = a_.data;
  operands_.b = b_.data;
  operands_.c = c_.data;
  operands_.alpha = scalar_value(problem.alpha, kOtherAlpha);
  operands_.beta = scalar_value(problem.beta, kOtherBeta);
  if (a_.data == nullptr || b_.data == nullptr || c_.data == nullptr) return;
  if (problem.c_type == DType::kF32) {
    fill<float>(seed);
    compute_expected<float>();
  } else {
    fill<double>(seed);
    compute_expected<double>();
  }
}

Result<std::unique_ptr<TestCase>> TestCase::make(const Problem& problem, std::uint64_t seed) {
  const DType dtype = problem.c_type;
  const bool one_type = problem.a_type == dtype && problem.b_type == dtype;
  if (!one_type || (dtype != DType::kF32 && dtype != DType::kF64) ||
      problem.epilogue != Epilogue::kNone) {
    return unsupported("no reference result for '" + to_string(problem) +
                       "': only f32 and f64 without an epilogue can be checked");
  }
  std::unique_ptr<TestCase> test_case(new TestCase(problem, seed));
  const Operands& operands = test_case->operands();
  if (operands.a == nullptr || operands.b == nullptr || operands.c == nullptr) {
    return resource_exhausted("no memory for the operands of '" + to_string(problem) + "'");
  }
  return test_case;
}

template <typename T>
void TestCase::fill(std::uint64_t seed) {
  Random random(seed);
  fill_with_eighths(static_cast<T*>(a_.data), a_elements(problem_), random);
  fill_with_eighths(static_cast<T*>(b_.data), b_elements(problem_), random);
}

template <typename T>
void TestCase::compute_expected() {
  expected_.assign(static_cast<std::size_t>(problem_.batch * problem_.m * problem_.n), 0);
  double* row = expected_.data();
  const double initial = operands_.beta == 0 ? 0 : operands_.beta * kInitialC;
  for (std::int64_t z = 0; z < problem_.batch; ++z) {
    const T* const a = static_cast<const T*>(a_.data) + z * problem_.a_batch_stride;
    const T* const b = static_cast<const T*>(b_.data) + z * problem_.b_batch_stride;
    for (std::int64_t i = 0; i < problem_.m; ++i, row += problem_.n) {
      accumulate_row(problem_, a, b, i, row);
      for (std::int64_t j = 0; j < problem_.n; ++j) row[j] = operands_.alpha * row[j] + initial;
    }
  }
}

void TestCase::reset_c() {
  const double value = operands_.beta == 0 ? std::numeric_limits<double>::quiet_NaN() : kInitialC;
  const std::int64_t count = c_elements(problem_);
  if (problem_.c_type == DType::kF32) {
    std::fill_n(static_cast<float*>(c_.data), count, static_cast<float>(value));
  } else {
    std::fill_n(static_cast<double*>(c_.data), count, value);
  }
}

template <typename T>
Outcome TestCase::check_as() const {
  const double eps = std::numeric_limits<T>::epsilon();
  const double bound = (static_cast<double>(problem_.k) + 4) * eps *
                       (std::abs(operands_.alpha) + std::abs(operands_.beta));
  const double* right = expected_.data();
  for (std::int64_t z = 0; z < problem_.batch; ++z) {
    const T* row = static_cast<const T*>(c_.data) + z * problem_.c_batch_stride;
    for (std::int64_t i = 0; i < problem_.m; ++i, row += problem_.ldc, right += problem_.n) {
      bool wrong = false;  // NaN must count as wrong, hence the negated comparison
      for (std::int64_t j = 0; j < problem_.n; ++j) {
        wrong |= !(std::abs(static_cast<double>(row[j]) - right[j]) <= bound);
      }
      if (wrong) {
        return {OutcomeKind::kWrongResult,
                "row " + std::to_string(i) + " of matrix " + std::to_string(z) +
                    " differs from the reference by more than " + std::to_string(bound)};
      }
    }
  }
  return {};
}

Outcome TestCase::check() const {
  return problem_.c_type == DType::kF32 ? check_as<float>() : check_as<double>();
}

}  // namespace triode::bench
