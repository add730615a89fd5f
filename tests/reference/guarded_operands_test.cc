// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/guarded_operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/reference_gemm.h"

namespace triode {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

Problem padded_problem() {
  Problem problem = Problem::mm(DType::kF32, 3, 5, 7, true, false);
  problem.lda = 4;
  problem.ldb = 6;
  problem.ldc = 9;
  return problem;
}

volatile float* floats(GuardedMatrix& matrix) {
  return static_cast<volatile float*>(matrix.data());
}

TEST(GuardedOperands, TheReferenceStaysInsideTheMatrices) {
  const Problem problem = padded_problem();
  for (const Guard guard : {Guard::kAfterEnd, Guard::kBeforeStart}) {
    GuardedOperands matrices(problem, guard, 1);
    EXPECT_EQ(matrices.find_trespass([&] { reference_gemm(problem, matrices.operands(1, 1)); }),
              std::nullopt);
  }
}

TEST(GuardedOperands, ShapesFollowTheTransposes) {
  GuardedOperands matrices(padded_problem(), Guard::kAfterEnd, 1);
  EXPECT_EQ(matrices.a().shape().rows, 7);
  EXPECT_EQ(matrices.a().shape().columns, 3);
  EXPECT_EQ(matrices.b().shape().rows, 7);
  EXPECT_EQ(matrices.b().shape().columns, 5);
}

TEST(GuardedOperands, NamesTheOperandThatWasReadPastItsEnd) {
  GuardedOperands matrices(padded_problem(), Guard::kAfterEnd, 1);
  float sink = 0;
  EXPECT_THAT(matrices.find_trespass([&] { sink = floats(matrices.b())[6 * 6 + 5]; }),
              Optional(HasSubstr("b: 0 bytes past the end")));
}

TEST(GuardedOperands, NamesAnInputThatWasWritten) {
  GuardedOperands matrices(padded_problem(), Guard::kAfterEnd, 1);
  EXPECT_THAT(matrices.find_trespass([&] { floats(matrices.a())[2] = 0; }),
              Optional(HasSubstr("a: at byte 8")));
}

TEST(GuardedOperands, FindsAWriteBetweenTheRowsOfC) {
  GuardedOperands matrices(padded_problem(), Guard::kAfterEnd, 1);
  EXPECT_THAT(matrices.find_trespass([&] { floats(matrices.c())[5] = 0; }),
              Optional(HasSubstr("c: the gap 5 elements")));
}

TEST(GuardedOperands, AlignmentIsThatOfTheLeastAlignedPointer) {
  const Problem problem = Problem::mm(DType::kF32, 16, 16, 16);
  EXPECT_EQ(GuardedOperands(problem, Guard::kBeforeStart, 1).alignment_bytes(), 64);
  EXPECT_EQ(GuardedOperands(problem, Guard::kBeforeStart, 1, 8).alignment_bytes(), 8);
  EXPECT_EQ(
      GuardedOperands(Problem::mm(DType::kF32, 1, 16, 3), Guard::kAfterEnd, 1).alignment_bytes(),
      4);
}

}  // namespace
}  // namespace triode
