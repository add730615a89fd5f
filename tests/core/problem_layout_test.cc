// SPDX-License-Identifier: Apache-2.0
#include "core/problem_layout.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

TEST(ProblemLayout, StoredShapesFollowTheTransposes) {
  const Problem straight = Problem::mm(DType::kF32, 2, 3, 5);
  EXPECT_EQ(stored_rows(straight), (PerOperand{2, 5, 2}));
  EXPECT_EQ(stored_columns(straight), (PerOperand{5, 3, 3}));
  const Problem transposed = Problem::mm(DType::kF32, 2, 3, 5, true, true);
  EXPECT_EQ(stored_rows(transposed), (PerOperand{5, 3, 2}));
  EXPECT_EQ(stored_columns(transposed), (PerOperand{2, 5, 3}));
}

TEST(ProblemLayout, AlignedLeadingDimensionsAreWholeCacheLinesOfEachType) {
  Problem problem = Problem::mm(DType::kF32, 2, 33, 17);
  problem.a_type = DType::kF64;
  problem.b_type = DType::kI8;
  EXPECT_EQ(aligned_leading_dimensions(problem), (PerOperand{24, 64, 48}));
}

TEST(ProblemLayout, AlignedLeadingDimensionsOutOfRangeSaturate) {
  const Problem problem = Problem::mm(DType::kF32, 1, 1, INT64_MAX);
  EXPECT_EQ(aligned_leading_dimensions(problem)[0], INT64_MAX);
}

TEST(ProblemLayout, DefaultBatchStridesAreRowsTimesLeadingDimension) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5, true, false);
  problem.op = Op::kBmm;
  set_leading_dimensions({10, 20, 30}, problem);
  EXPECT_EQ(default_batch_strides(problem), (PerOperand{5 * 10, 5 * 20, 2 * 30}));
}

TEST(ProblemLayout, DefaultBatchStridesWithoutABatchAreZero) {
  EXPECT_EQ(default_batch_strides(Problem::mm(DType::kF32, 2, 3, 5)), (PerOperand{0, 0, 0}));
}

TEST(ProblemLayout, DefaultBatchStridesOutOfRangeSaturate) {
  Problem problem = Problem::mm(DType::kF32, INT64_MAX, 2, 1);
  problem.op = Op::kBmm;
  EXPECT_EQ(default_batch_strides(problem)[2], INT64_MAX);
}

TEST(ProblemLayout, WhatIsSetIsRead) {
  Problem problem;
  set_leading_dimensions({1, 2, 3}, problem);
  set_batch_strides({4, 5, 6}, problem);
  EXPECT_EQ(leading_dimensions(problem), (PerOperand{1, 2, 3}));
  EXPECT_EQ(batch_strides(problem), (PerOperand{4, 5, 6}));
  EXPECT_EQ(problem.ldb, 2);
  EXPECT_EQ(problem.b_batch_stride, 5);
}

}  // namespace
}  // namespace triode
