// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plain_gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/reference/error_bound.h"

namespace triode::host {
namespace {

TEST(PlainGemm, KeepsTheBoundForEveryTranspose) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      Problem problem = Problem::mm(DType::kF64, 5, 6, 7, a_transposed, b_transposed);
      problem.alpha = problem.beta = ScalarClass::kOther;
      std::vector<double> a(35, 0.25), b(42, -1.5), c(30, 3);
      a[4] = 9;
      b[5] = 8;
      const Operands operands{a.data(), b.data(), c.data(), 2, 0.5};
      const ErrorBound bound(problem, operands);
      plain_gemm(problem, operands);
      EXPECT_EQ(bound.find_mismatch(c.data()).value_or(""), "");
    }
  }
}

TEST(PlainGemm, OverwritesWhateverCHeldIfBetaIsZero) {
  const std::vector<float> a(4, 1), b(4, 1);
  std::vector<float> c(4, NAN);
  plain_gemm(Problem::mm(DType::kF32, 2, 2, 2), {a.data(), b.data(), c.data(), 1, 0});
  EXPECT_EQ(c, std::vector<float>(4, 2));
}

TEST(PlainGemm, ScalesCWhereThereIsNothingToMultiply) {
  std::vector<float> c(4, 3);
  plain_gemm(Problem::mm(DType::kF32, 2, 2, 0), {nullptr, nullptr, c.data(), 1, 2});
  EXPECT_EQ(c, std::vector<float>(4, 6));
}

TEST(PlainGemm, DoesNotLookAtOperandsIfAlphaIsZero) {
  std::vector<float> c(4, 3);
  const std::vector<float> nan(4, NAN);
  plain_gemm(Problem::mm(DType::kF32, 2, 2, 2), {nan.data(), nan.data(), c.data(), 0, 1});
  EXPECT_EQ(c, std::vector<float>(4, 3));
}

}  // namespace
}  // namespace triode::host
