// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/guarded_operands.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "tests/reference/fault_trap.h"

namespace triode::tuner {
namespace {

// Plain loops, in the order of their indices or backwards: another rounding, and as right.
template <typename T>
void multiply(const Problem& p, const Operands& operands, bool backwards) {
  const T* const a = static_cast<const T*>(operands.a);
  const T* const b = static_cast<const T*>(operands.b);
  T* const c = static_cast<T*>(operands.c);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      T sum = 0;
      for (int64_t step = 0; step < p.k; ++step) {
        const int64_t l = backwards ? p.k - 1 - step : step;
        sum += (p.a_transposed ? a[l * p.lda + i] : a[i * p.lda + l]) *
               (p.b_transposed ? b[j * p.ldb + l] : b[l * p.ldb + j]);
      }
      T& element = c[i * p.ldc + j];
      element = static_cast<T>(operands.alpha) * sum +
                (operands.beta == 0 ? T{0} : static_cast<T>(operands.beta) * element);
    }
  }
}

// Eight sums at a time, each product rounded with its sum, and alpha on the elements of a.
template <typename T>
void multiply_with_lanes(const Problem& p, const Operands& operands) {
  const T* const a = static_cast<const T*>(operands.a);
  const T* const b = static_cast<const T*>(operands.b);
  T* const c = static_cast<T*>(operands.c);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      std::array<T, 8> sums{};
      for (int64_t l = 0; l < p.k; ++l) {
        T& sum = sums[static_cast<size_t>(l % 8)];
        sum = std::fma(static_cast<T>(operands.alpha) * a[i * p.lda + l], b[l * p.ldb + j], sum);
      }
      T& element = c[i * p.ldc + j];
      const T before = operands.beta == 0 ? T{0} : static_cast<T>(operands.beta) * element;
      element = std::accumulate(sums.begin(), sums.end(), before);
    }
  }
}

using Multiply = void (*)(const Problem& problem, const Operands& operands);

void multiply_forwards(const Problem& problem, const Operands& operands) {
  problem.c_type == DType::kF32 ? multiply<float>(problem, operands, false)
                                : multiply<double>(problem, operands, false);
}

void multiply_backwards(const Problem& problem, const Operands& operands) {
  problem.c_type == DType::kF32 ? multiply<float>(problem, operands, true)
                                : multiply<double>(problem, operands, true);
}

void multiply_in_lanes(const Problem& problem, const Operands& operands) {
  problem.c_type == DType::kF32 ? multiply_with_lanes<float>(problem, operands)
                                : multiply_with_lanes<double>(problem, operands);
}

Problem padded_problem(DType type = DType::kF32) {
  Problem problem = Problem::mm(type, 5, 7, 33, true, false);
  problem.lda += 3;
  problem.ldb += 2;
  problem.ldc += 4;
  problem.alignment_bytes = static_cast<int32_t>(size_bytes(type));
  problem.beta = ScalarClass::kOther;
  return problem;
}

std::unique_ptr<GuardedOperands> make(const Problem& problem, Contents contents,
                                      bool at_start = false) {
  const VendorKernel vendor = [problem](const Operands& operands) {
    multiply_forwards(problem, operands);
  };
  return std::move(GuardedOperands::make(problem, contents, at_start, 3, vendor)).take();
}

class EveryContents : public ::testing::TestWithParam<int> {};

TEST_P(EveryContents, AcceptAnyOrderOfAdditions) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    for (const bool at_start : {false, true}) {
      const Problem problem = padded_problem(type);
      const auto checked = make(problem, static_cast<Contents>(GetParam()), at_start);
      checked->reset_c();
      multiply_backwards(problem, checked->operands());
      EXPECT_TRUE(checked->check().ok()) << checked->check().reason;
    }
  }
}

TEST_P(EveryContents, RefuseAProductThatWasForgotten) {
  const Problem problem = padded_problem();
  const auto checked = make(problem, static_cast<Contents>(GetParam()));
  Problem shorter = problem;
  shorter.k -= 3;
  checked->reset_c();
  multiply<float>(shorter, checked->operands(), false);
  EXPECT_EQ(checked->check().kind, OutcomeKind::kWrongResult);
}

INSTANTIATE_TEST_SUITE_P(GuardedOperands, EveryContents, ::testing::Range(0, kContentsCount));

// The last of so many products. On the exact contents no bound may hide it, however many there are.
class LongSums : public ::testing::TestWithParam<std::tuple<DType, int64_t>> {
 protected:
  static Problem long_problem() {
    const auto [type, k] = GetParam();
    Problem problem = Problem::mm(type, 3, 5, k);
    problem.alignment_bytes = static_cast<int32_t>(size_bytes(type));
    problem.alpha = problem.beta = ScalarClass::kOther;
    return problem;
  }
  static Outcome check(const Problem& run, const Multiply& multiply) {
    const auto checked = make(long_problem(), Contents::kEighths);
    checked->reset_c();
    multiply(run, checked->operands());
    return checked->check();
  }
};

TEST_P(LongSums, RefuseASingleProductThatWasForgotten) {
  Problem shorter = long_problem();
  shorter.k -= 1;
  EXPECT_EQ(check(shorter, multiply_forwards).kind, OutcomeKind::kWrongResult);
}

TEST_P(LongSums, AcceptAnyOrderOfAdditions) {
  for (const Multiply multiply : {multiply_forwards, multiply_backwards, multiply_in_lanes}) {
    const Outcome outcome = check(long_problem(), multiply);
    EXPECT_TRUE(outcome.ok()) << outcome.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(GuardedOperands, LongSums,
                         ::testing::Combine(::testing::Values(DType::kF32, DType::kF64),
                                            ::testing::Values(4096, 16384, 87380)));

TEST(GuardedOperands, AcceptSumsThatAreTooLongToBeExact) {
  const Problem problem = Problem::mm(DType::kF32, 1, 2, 1 << 20);
  const auto checked = make(problem, Contents::kEighths);
  checked->reset_c();
  multiply_in_lanes(problem, checked->operands());
  EXPECT_TRUE(checked->check().ok()) << checked->check().reason;
}

class GuardedOperandsTest : public ::testing::Test {
 protected:
  float* c() const { return static_cast<float*>(checked_->operands().c); }
  void run() const {
    checked_->reset_c();
    multiply<float>(problem_, checked_->operands(), false);
  }

  const Problem problem_ = padded_problem();
  std::unique_ptr<GuardedOperands> checked_ = make(problem_, Contents::kEighths);
};

TEST_F(GuardedOperandsTest, RefuseNaN) {
  run();
  c()[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(checked_->check().kind, OutcomeKind::kWrongResult);
}

TEST_F(GuardedOperandsTest, RefuseOneElementThatIsOffByALittle) {
  run();
  c()[2] += 0.01f;
  EXPECT_EQ(checked_->check().kind, OutcomeKind::kWrongResult);
}

TEST_F(GuardedOperandsTest, RefuseAWriteBetweenRows) {
  run();
  c()[problem_.n] = 0;
  EXPECT_EQ(checked_->check().kind, OutcomeKind::kWrongResult);
}

TEST_F(GuardedOperandsTest, RefuseAWriteBeforeC) {
  run();
  c()[-1] = 0;
  EXPECT_EQ(checked_->check().kind, OutcomeKind::kWrongResult);
}

TEST_F(GuardedOperandsTest, RefuseAResultThatIsNotThere) {
  checked_->reset_c();
  EXPECT_EQ(checked_->check().kind, OutcomeKind::kWrongResult);
}

TEST_F(GuardedOperandsTest, WritesPastTheEndOfCFault) {
  float* const end = c() + (problem_.m - 1) * problem_.ldc + problem_.n;
  EXPECT_TRUE(trap_fault([&] { *static_cast<volatile float*>(end) = 0; }).has_value());
}

TEST_F(GuardedOperandsTest, ReadsPastTheEndsOfAAndBFault) {
  const auto* const a = static_cast<const volatile float*>(checked_->operands().a);
  const auto* const b = static_cast<const volatile float*>(checked_->operands().b);
  const int64_t a_end = (problem_.k - 1) * problem_.lda + problem_.m;
  const int64_t b_end = (problem_.k - 1) * problem_.ldb + problem_.n;
  EXPECT_TRUE(trap_fault([&] { static_cast<void>(a[a_end]); }).has_value());
  EXPECT_TRUE(trap_fault([&] { static_cast<void>(b[b_end]); }).has_value());
  EXPECT_FALSE(trap_fault([&] { static_cast<void>(b[b_end - 1]); }).has_value());
}

TEST_F(GuardedOperandsTest, ReadsBeforeTheBeginningFault) {
  checked_ = make(problem_, Contents::kEighths, true);
  const auto* const a = static_cast<const volatile float*>(checked_->operands().a);
  EXPECT_TRUE(trap_fault([&] { static_cast<void>(a[-1]); }).has_value());
}

TEST_F(GuardedOperandsTest, WritesToAFault) {
  auto* const a = static_cast<volatile float*>(const_cast<void*>(checked_->operands().a));
  EXPECT_TRUE(trap_fault([&] { a[0] = 1; }).has_value());
}

TEST_F(GuardedOperandsTest, KeepTheAlignmentOfTheProblem) {
  Problem aligned = Problem::mm(DType::kF32, 5, 7, 3);
  aligned.alignment_bytes = 64;
  const auto checked = make(aligned, Contents::kEighths);
  for (const void* pointer : {checked->operands().a, checked->operands().b,
                              static_cast<const void*>(checked->operands().c)}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 64, 0u);
  }
}

}  // namespace
}  // namespace triode::tuner
