// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/test_case.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <string>

namespace triode::bench {
namespace {

// Elements that are compared before it is asked whether one was wrong, so that the loop has no exit
// and becomes vectors.
constexpr std::size_t kCheckedTogether = 1024;

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

TestCase::TestCase(ProblemOperands memory) : memory_(std::move(memory)) {
  if (memory_.problem().c_type == DType::kF32) {
    compute_expected<float>();
  } else {
    compute_expected<double>();
  }
}

Result<std::unique_ptr<TestCase>> TestCase::make(const Problem& problem, std::uint64_t seed) {
  ProblemOperands memory = TRIODE_TRY(ProblemOperands::make(problem, seed));
  try {
    return std::unique_ptr<TestCase>(new TestCase(std::move(memory)));
  } catch (const std::bad_alloc&) {
    return resource_exhausted("no memory for the right result of '" + to_string(problem) + "'");
  }
}

template <typename T>
void TestCase::compute_expected() {
  const Problem& problem = memory_.problem();
  const double alpha = operands().alpha;
  const double beta = operands().beta;
  expected_.assign(static_cast<std::size_t>(memory_.c_elements()), ProblemOperands::kGap);
  for (std::int64_t z = 0; z < problem.batch; ++z) {
    const T* const a = static_cast<const T*>(operands().a) + z * problem.a_batch_stride;
    const T* const b = static_cast<const T*>(operands().b) + z * problem.b_batch_stride;
    double* row = expected_.data() + z * problem.c_batch_stride;
    for (std::int64_t i = 0; i < problem.m; ++i, row += problem.ldc) {
      std::fill_n(row, problem.n, 0.0);
      accumulate_row(problem, a, b, i, row);
      for (std::int64_t j = 0; j < problem.n; ++j) {
        row[j] = alpha * row[j] + beta * ProblemOperands::initial_c(z, i, j);
      }
    }
  }
}

template <typename T>
Outcome TestCase::check_as() const {
  const double bound = memory_.tolerance();
  const T* const got = static_cast<const T*>(operands().c);
  const auto is_wrong = [&](std::size_t at) {  // NaN must count as wrong, hence the negation
    return !(std::abs(static_cast<double>(got[at]) - expected_[at]) <= bound);
  };
  for (std::size_t begin = 0; begin < expected_.size(); begin += kCheckedTogether) {
    const std::size_t end = std::min(begin + kCheckedTogether, expected_.size());
    bool wrong = false;
    for (std::size_t at = begin; at < end; ++at) wrong |= is_wrong(at);
    if (!wrong) continue;
    std::size_t at = begin;
    while (!is_wrong(at)) ++at;
    const bool in_gap = expected_[at] == ProblemOperands::kGap;
    return {OutcomeKind::kWrongResult,
            "element " + std::to_string(at) + " of c" + (in_gap ? ", in a gap, is " : " is ") +
                std::to_string(got[at]) + ", and should be " + std::to_string(expected_[at]) +
                " within " + std::to_string(bound)};
  }
  return {};
}

Outcome TestCase::check() const {
  return memory_.problem().c_type == DType::kF32 ? check_as<float>() : check_as<double>();
}

}  // namespace triode::bench
