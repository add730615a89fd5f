// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/error_bound.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "tests/reference/reference_gemm.h"

namespace triode {
namespace {

struct StoredMatrix {
  const void* data;
  int64_t rows;
  int64_t columns;
  int64_t ld;
  int64_t batch_stride;
};

double element(DType dtype, const void* data, int64_t index) {
  if (dtype == DType::kF64) return static_cast<const double*>(data)[index];
  return static_cast<double>(static_cast<const float*>(data)[index]);
}

// The elements of every matrix of the batch, without the gaps between them.
template <typename T>
std::vector<T> gather(const StoredMatrix& matrix, int64_t batch) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(batch * matrix.rows * matrix.columns));
  const auto* data = static_cast<const T*>(matrix.data);
  for (int64_t i = 0; i < batch; ++i) {
    for (int64_t row = 0; row < matrix.rows; ++row) {
      const T* begin = data + i * matrix.batch_stride + row * matrix.ld;
      values.insert(values.end(), begin, begin + matrix.columns);
    }
  }
  return values;
}

template <typename T>
void make_absolute(std::vector<T>& values) {
  for (T& value : values) value = std::abs(value);
}

Problem without_gaps(Problem problem) {
  problem.make_tight();
  problem.a_batch_stride = problem.m * problem.k;
  problem.b_batch_stride = problem.k * problem.n;
  problem.c_batch_stride = problem.m * problem.n;
  return problem;
}

// The reference, and the same with the absolute value of everything: just the bound's bracket.
template <typename T>
void compute(const Problem& problem, const Operands& before, std::vector<double>& want,
             std::vector<double>& magnitude) {
  const bool at = problem.a_transposed;
  const bool bt = problem.b_transposed;
  std::vector<T> a = gather<T>({before.a, at ? problem.k : problem.m, at ? problem.m : problem.k,
                                problem.lda, problem.a_batch_stride},
                               problem.batch);
  std::vector<T> b = gather<T>({before.b, bt ? problem.n : problem.k, bt ? problem.k : problem.n,
                                problem.ldb, problem.b_batch_stride},
                               problem.batch);
  const std::vector<T> c = gather<T>(
      {before.c, problem.m, problem.n, problem.ldc, problem.c_batch_stride}, problem.batch);
  const Problem tight = without_gaps(problem);

  std::vector<T> result = c;
  reference_gemm(tight, {a.data(), b.data(), result.data(), before.alpha, before.beta});
  want.assign(result.begin(), result.end());

  result = c;
  make_absolute(a);
  make_absolute(b);
  make_absolute(result);
  reference_gemm(
      tight, {a.data(), b.data(), result.data(), std::abs(before.alpha), std::abs(before.beta)});
  magnitude.assign(result.begin(), result.end());
}

bool keeps_bound(double got, double want, double bound) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::abs(got - want) <= bound;
}

}  // namespace

double error_gamma(const Problem& problem) {
  const double epsilon = problem.c_type == DType::kF64
                             ? std::numeric_limits<double>::epsilon()
                             : static_cast<double>(std::numeric_limits<float>::epsilon());
  return static_cast<double>(problem.k + 4) * epsilon;
}

ErrorBound::ErrorBound(const Problem& problem, const Operands& before) : problem_(problem) {
  if (problem.c_type == DType::kF64) {
    compute<double>(problem, before, want_, magnitude_);
  } else {
    compute<float>(problem, before, want_, magnitude_);
  }
}

std::optional<std::string> ErrorBound::find_mismatch(const void* c) const {
  const double gamma = error_gamma(problem_);
  size_t at = 0;
  for (int64_t i = 0; i < problem_.batch; ++i) {
    for (int64_t row = 0; row < problem_.m; ++row) {
      for (int64_t column = 0; column < problem_.n; ++column, ++at) {
        const int64_t index = i * problem_.c_batch_stride + row * problem_.ldc + column;
        const double got = element(problem_.c_type, c, index);
        const double bound = gamma * magnitude_[at];
        if (keeps_bound(got, want_[at], bound)) continue;
        char text[256];
        std::snprintf(text, sizeof text,
                      "c[batch %lld](%lld, %lld) is %.17g, should be %.17g within %.3g",
                      static_cast<long long>(i), static_cast<long long>(row),
                      static_cast<long long>(column), got, want_[at], bound);
        return std::string(text);
      }
    }
  }
  return std::nullopt;
}

}  // namespace triode
