// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/error_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// [1 -1] times [1 2; 1 1] is [0 1], with magnitudes [2 3].
const std::vector<float> kA = {1, -1};
const std::vector<float> kB = {1, 2, 1, 1};

ErrorBound bound_of(const std::vector<float>& a, std::vector<float> c = {0, 0}, double alpha = 1,
                    double beta = 0) {
  return {Problem::mm(DType::kF32, 1, 2, 2), {a.data(), kB.data(), c.data(), alpha, beta}};
}

TEST(ErrorBound, GammaGrowsWithKAndFollowsTheType) {
  EXPECT_DOUBLE_EQ(error_gamma(Problem::mm(DType::kF32, 9, 9, 6)), 10 * double{kEpsilon});
  EXPECT_DOUBLE_EQ(error_gamma(Problem::mm(DType::kF64, 9, 9, 6)),
                   10 * std::numeric_limits<double>::epsilon());
}

TEST(ErrorBound, AcceptsTheExactResult) {
  const std::vector<float> c = {0, 1};
  EXPECT_EQ(bound_of(kA).find_mismatch(c.data()), std::nullopt);
}

TEST(ErrorBound, AcceptsAnErrorAtTheBound) {
  const std::vector<float> c = {6 * 2 * kEpsilon, 1 - 6 * 3 * kEpsilon};
  EXPECT_EQ(bound_of(kA).find_mismatch(c.data()), std::nullopt);
}

TEST(ErrorBound, NamesTheElementBeyondTheBound) {
  const std::vector<float> c = {0, 1 + 6 * 4 * kEpsilon};
  EXPECT_THAT(
      bound_of(kA).find_mismatch(c.data()),
      Optional(AllOf(HasSubstr("c[batch 0](0, 1) is 1.00000286"), HasSubstr("should be 1 "))));
}

TEST(ErrorBound, ScalesWithAlphaAndBeta) {
  // Wants -2 * 0 + 3 * 1 = 3 and -2 * 1 + 3 * 2 = 4; magnitudes 2 * 2 + 3 * 1 = 7 and 2 * 3 + 3 * 2
  // = 12.
  const ErrorBound bound = bound_of(kA, {1, 2}, -2, 3);
  const std::vector<float> good = {3 + 6 * 6 * kEpsilon, 4 - 6 * 12 * kEpsilon};
  const std::vector<float> bad = {3 + 6 * 8 * kEpsilon, 4};
  EXPECT_EQ(bound.find_mismatch(good.data()), std::nullopt);
  EXPECT_THAT(bound.find_mismatch(bad.data()), Optional(HasSubstr("(0, 0)")));
}

TEST(ErrorBound, WantsExactZeroWhereEveryTermIsZero) {
  const std::vector<float> c = {std::numeric_limits<float>::min(), 0};
  EXPECT_THAT(bound_of({0, 0}).find_mismatch(c.data()),
              Optional(HasSubstr("should be 0 within 0")));
}

TEST(ErrorBound, RefusesNanInPlaceOfANumber) {
  const std::vector<float> c = {0, kNan};
  EXPECT_THAT(bound_of(kA).find_mismatch(c.data()), Optional(HasSubstr("(0, 1) is nan")));
}

TEST(ErrorBound, WantsNanWhereTheReferenceHasOne) {
  const std::vector<float> number = {0, 1};
  const std::vector<float> nans = {kNan, -kNan};
  EXPECT_THAT(bound_of({kNan, 1}).find_mismatch(number.data()),
              Optional(HasSubstr("should be nan")));
  EXPECT_EQ(bound_of({kNan, 1}).find_mismatch(nans.data()), std::nullopt);
}

TEST(ErrorBound, WantsTheSameInfinity) {
  const std::vector<float> same = {kInf, kInf};
  const std::vector<float> opposite = {kInf, -kInf};
  EXPECT_EQ(bound_of({kInf, 1}).find_mismatch(same.data()), std::nullopt);
  EXPECT_THAT(bound_of({kInf, 1}).find_mismatch(opposite.data()),
              Optional(HasSubstr("(0, 1) is -inf")));
}

TEST(ErrorBound, NamesTheMatrixOfTheBatch) {
  Problem problem = Problem::mm(DType::kF64, 2, 1, 1);
  problem.op = Op::kBmm;
  problem.batch = 2;
  problem.ldc = 2;
  problem.a_batch_stride = 2;
  problem.b_batch_stride = 1;
  problem.c_batch_stride = 4;
  const std::vector<double> a = {1, 2, 3, 4};
  const std::vector<double> b = {1, 10};
  std::vector<double> c(8);
  const ErrorBound bound(problem, {a.data(), b.data(), c.data(), 1, 0});
  c = {1, -1, 2, -1, 30, -1, 41};
  EXPECT_THAT(bound.find_mismatch(c.data()),
              Optional(HasSubstr("c[batch 1](1, 0) is 41, should be 40")));
}

}  // namespace
}  // namespace triode
