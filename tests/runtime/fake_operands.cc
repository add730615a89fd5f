// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/fake_operands.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace triode {
namespace {

std::vector<float> small_numbers(int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i % 7 - 3));
  return numbers;
}

}  // namespace

FakeOperands::FakeOperands(const Problem& problem)
    : a_(small_numbers(problem.m * problem.k)),
      b_(small_numbers(problem.k * problem.n)),
      c_(static_cast<size_t>(problem.m * problem.n)),
      expected_(c_.size()) {
  const auto n = static_cast<size_t>(problem.n);
  const auto k = static_cast<size_t>(problem.k);
  for (size_t i = 0; i < expected_.size(); ++i) {
    for (size_t p = 0; p < k; ++p) expected_[i] += a_[i / n * k + p] * b_[p * n + i % n];
  }
  operands_.a = a_.data();
  operands_.b = b_.data();
  operands_.c = c_.data();
}

void FakeOperands::reset_c() {
  std::fill(c_.begin(), c_.end(), std::numeric_limits<float>::quiet_NaN());
}

Outcome FakeOperands::check() const {
  if (c_ == expected_) return {};
  return {OutcomeKind::kWrongResult, "c differs from the reference"};
}

}  // namespace triode
