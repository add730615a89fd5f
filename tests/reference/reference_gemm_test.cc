// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/reference_gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace triode {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// [1 2 3; 4 5 6] times [7 8; 9 10; 11 12] is [58 64; 139 154].
const std::vector<float> kA = {1, 2, 3, 4, 5, 6};
const std::vector<float> kATransposed = {1, 4, 2, 5, 3, 6};
const std::vector<float> kB = {7, 8, 9, 10, 11, 12};
const std::vector<float> kBTransposed = {7, 9, 11, 8, 10, 12};

std::vector<float> product(const Problem& problem, const std::vector<float>& a,
                           const std::vector<float>& b, std::vector<float> c, double alpha = 1,
                           double beta = 0) {
  reference_gemm(problem, {a.data(), b.data(), c.data(), alpha, beta});
  return c;
}

TEST(ReferenceGemm, MultipliesRowMajor) {
  EXPECT_THAT(product(Problem::mm(DType::kF32, 2, 2, 3), kA, kB, {0, 0, 0, 0}),
              ElementsAre(58, 64, 139, 154));
}

TEST(ReferenceGemm, ReadsTransposedA) {
  EXPECT_THAT(
      product(Problem::mm(DType::kF32, 2, 2, 3, true, false), kATransposed, kB, {0, 0, 0, 0}),
      ElementsAre(58, 64, 139, 154));
}

TEST(ReferenceGemm, ReadsTransposedB) {
  EXPECT_THAT(
      product(Problem::mm(DType::kF32, 2, 2, 3, false, true), kA, kBTransposed, {0, 0, 0, 0}),
      ElementsAre(58, 64, 139, 154));
}

TEST(ReferenceGemm, ReadsBothTransposed) {
  EXPECT_THAT(product(Problem::mm(DType::kF32, 2, 2, 3, true, true), kATransposed, kBTransposed,
                      {0, 0, 0, 0}),
              ElementsAre(58, 64, 139, 154));
}

TEST(ReferenceGemm, ScalesByAlphaAndBeta) {
  EXPECT_THAT(product(Problem::mm(DType::kF32, 2, 2, 3), kA, kB, {1, 2, 3, 4}, 0.5, -2),
              ElementsAre(27, 28, 63.5, 69));
}

TEST(ReferenceGemm, OverwritesNanAndInfinityWhenBetaIsZero) {
  const std::vector<float> c = {static_cast<float>(kNan), static_cast<float>(kInf),
                                static_cast<float>(-kInf), 0};
  EXPECT_THAT(product(Problem::mm(DType::kF32, 2, 2, 3), kA, kB, c), ElementsAre(58, 64, 139, 154));
}

TEST(ReferenceGemm, PropagatesNanFromA) {
  std::vector<float> a = kA;
  a[4] = static_cast<float>(kNan);
  const std::vector<float> c = product(Problem::mm(DType::kF32, 2, 2, 3), a, kB, {0, 0, 0, 0});
  EXPECT_EQ(c[0], 58);
  EXPECT_EQ(c[1], 64);
  EXPECT_TRUE(std::isnan(c[2]));
  EXPECT_TRUE(std::isnan(c[3]));
}

TEST(ReferenceGemm, DoesNotReadAAndBWhenAlphaIsZero) {
  std::vector<float> c = {1, 2, 3, 4};
  reference_gemm(Problem::mm(DType::kF32, 2, 2, 3), {nullptr, nullptr, c.data(), 0, 3});
  EXPECT_THAT(c, ElementsAre(3, 6, 9, 12));
}

TEST(ReferenceGemm, ScalesByBetaWhenKIsZero) {
  EXPECT_THAT(product(Problem::mm(DType::kF32, 2, 2, 0), {}, {}, {1, 2, 3, 4}, 1, 2),
              ElementsAre(2, 4, 6, 8));
}

TEST(ReferenceGemm, LeavesGapsBetweenRowsAlone) {
  Problem problem = Problem::mm(DType::kF32, 2, 2, 3);
  problem.lda = 4;
  problem.ldb = 3;
  problem.ldc = 3;
  EXPECT_THAT(
      product(problem, {1, 2, 3, -1, 4, 5, 6}, {7, 8, -1, 9, 10, -1, 11, 12}, {0, 0, -7, 0, 0}),
      ElementsAre(58, 64, -7, 139, 154));
}

TEST(ReferenceGemm, MultipliesEachMatrixOfABatch) {
  Problem problem = Problem::mm(DType::kF32, 1, 2, 2);
  problem.op = Op::kBmm;
  problem.batch = 2;
  problem.a_batch_stride = 2;
  problem.b_batch_stride = 0;
  problem.c_batch_stride = 3;
  EXPECT_THAT(product(problem, {1, 2, 3, 4}, {1, 10, 100, 1000}, {0, 0, -7, 0, 0}),
              ElementsAre(201, 2010, -7, 403, 4030));
}

TEST(ReferenceGemm, AccumulatesFloatsInDouble) {
  // In float, 2^24 + 1 is 2^24, and the ones would be lost.
  const std::vector<float> a = {16777216, 1, 1, -16777216};
  EXPECT_THAT(product(Problem::mm(DType::kF32, 1, 1, 4), a, {1, 1, 1, 1}, {0}), ElementsAre(2));
}

TEST(ReferenceGemm, AccumulatesDoublesInLongDouble) {
  const std::vector<double> a = {9007199254740992, 1, 1, -9007199254740992};
  const std::vector<double> b = {1, 1, 1, 1};
  double c = 0;
  reference_gemm(Problem::mm(DType::kF64, 1, 1, 4), {a.data(), b.data(), &c, 1, 0});
  EXPECT_EQ(c, 2);
}

TEST(ReferenceGemmDeathTest, RefusesTypesItDoesNotKnow) {
  EXPECT_DEATH(reference_gemm(Problem::mm(DType::kBF16, 1, 1, 1), {}), "f32 and f64 only.*bf16");
}

}  // namespace
}  // namespace triode
