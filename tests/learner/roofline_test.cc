// SPDX-License-Identifier: Apache-2.0
#include "learner/model/roofline.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

class ProblemLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    target.l2_bytes = kMiB;
    roofline.f32_gflops = 100;
    roofline.f64_gflops = 50;
    roofline.bandwidths = {{2 * kMiB, 30}, {8 * kMiB, 20}, {32 * kMiB, 10}};
  }
  ProblemLimit limit(int64_t m, int64_t n, int64_t k, DType dtype = DType::kF32) const {
    return limit_of(Problem::mm(dtype, m, n, k), roofline, target);
  }
  Target target;
  Roofline roofline;
};

TEST_F(ProblemLimitTest, IsThePeakWhereOperandsFitL2) {
  EXPECT_EQ(limit(1, 256, 256).bound, Bound::kCompute);
  EXPECT_DOUBLE_EQ(limit(1, 256, 256).gflops, 100);
}

TEST_F(ProblemLimitTest, IsThePeakOfTheType) {
  EXPECT_DOUBLE_EQ(limit(64, 64, 64, DType::kF64).gflops, 50);
}

TEST_F(ProblemLimitTest, IsTheBandwidthOfTheNextSmallerSetForALargeVectorProduct) {
  const ProblemLimit vector = limit(1, 2048, 2048);  // 16 MiB at half a flop a byte
  EXPECT_EQ(vector.bound, Bound::kMemory);
  EXPECT_NEAR(vector.gflops, 10, 0.02);
}

TEST_F(ProblemLimitTest, IsThePeakForALargeSquareProduct) {
  EXPECT_EQ(limit(1024, 1024, 1024).bound, Bound::kCompute);
}

TEST_F(ProblemLimitTest, TakesTheFirstBandwidthJustBeyondL2) {
  EXPECT_NEAR(limit(1, 600, 600).gflops, 15, 0.1);
}

}  // namespace
}  // namespace triode
