// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/random_problem.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

Problem bmm(int64_t batch, int64_t m, int64_t n, int64_t k) {
  Problem problem = Problem::mm(DType::kF32, m, n, k);
  problem.op = Op::kBmm;
  problem.batch = batch;
  problem.make_tight();
  return problem;
}

TEST(Problem, MmHasTightLeadingDimensions) {
  const Problem problem = Problem::mm(DType::kF64, 2, 3, 5);
  EXPECT_EQ(problem.lda, 5);
  EXPECT_EQ(problem.ldb, 3);
  EXPECT_EQ(problem.ldc, 3);
  EXPECT_EQ(problem.b_type, DType::kF64);
  EXPECT_EQ(problem.c_type, DType::kF64);
}

TEST(Problem, TransposedOperandsAreStoredTheOtherWayRound) {
  const Problem problem = Problem::mm(DType::kF32, 2, 3, 5, true, true);
  EXPECT_EQ(problem.lda, 2);
  EXPECT_EQ(problem.ldb, 5);
  EXPECT_EQ(problem.ldc, 3);
}

TEST(Problem, MmOfNarrowTypesAccumulatesInWideOnes) {
  EXPECT_EQ(Problem::mm(DType::kF16, 1, 1, 1).accumulator, DType::kF32);
  EXPECT_EQ(Problem::mm(DType::kBF16, 1, 1, 1).accumulator, DType::kF32);
  EXPECT_EQ(Problem::mm(DType::kF8E4M3, 1, 1, 1).accumulator, DType::kF32);
  EXPECT_EQ(Problem::mm(DType::kI8, 1, 1, 1).accumulator, DType::kI32);
  EXPECT_EQ(Problem::mm(DType::kF64, 1, 1, 1).accumulator, DType::kF64);
}

TEST(Problem, MakeTightPutsTheMatricesOfABatchBehindEachOther) {
  const Problem problem = bmm(4, 2, 3, 5);
  EXPECT_EQ(problem.a_batch_stride, 10);
  EXPECT_EQ(problem.b_batch_stride, 15);
  EXPECT_EQ(problem.c_batch_stride, 6);
}

TEST(Problem, MakeTightClosesGaps) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5);
  problem.lda = 64;
  problem.ldc = 100;
  problem.make_tight();
  EXPECT_EQ(problem, Problem::mm(DType::kF32, 2, 3, 5));
}

TEST(Problem, FlopsCountsMultiplyAndAddOverTheBatch) {
  EXPECT_DOUBLE_EQ(bmm(7, 2, 3, 5).flops(), 2.0 * 7 * 2 * 3 * 5);
}

TEST(Problem, BytesCountsEachOperandOnce) {
  EXPECT_DOUBLE_EQ(Problem::mm(DType::kF64, 2, 3, 5).bytes(), 8.0 * (10 + 15 + 6));
}

TEST(Problem, BytesCountsCTwiceIfItIsRead) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5);
  problem.beta = ScalarClass::kOther;
  EXPECT_DOUBLE_EQ(problem.bytes(), 4.0 * (10 + 15 + 2 * 6));
}

TEST(Problem, BytesUsesEachOperandsType) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5);
  problem.a_type = DType::kI8;
  problem.b_type = DType::kBF16;
  EXPECT_DOUBLE_EQ(problem.bytes(), 1.0 * 10 + 2.0 * 15 + 4.0 * 6);
}

TEST(Problem, BytesCountsARepeatedMatrixOnce) {
  Problem problem = bmm(4, 2, 3, 5);
  problem.b_batch_stride = 0;
  EXPECT_DOUBLE_EQ(problem.bytes(), 4.0 * (4 * 10 + 15 + 4 * 6));
}

TEST(Problem, EmptyBatchTouchesNothing) {
  Problem problem = bmm(0, 2, 3, 5);
  problem.a_batch_stride = 0;
  EXPECT_DOUBLE_EQ(problem.bytes(), 0);
}

TEST(LdClass, AlignedWhenEveryRowStartsOnACacheLine) {
  EXPECT_EQ(Problem::mm(DType::kF32, 48, 48, 48).ld_class(), LdClass::kAligned);
}

TEST(LdClass, TightWhenRowsCrossLinesWithoutAGap) {
  EXPECT_EQ(Problem::mm(DType::kF32, 50, 50, 50).ld_class(), LdClass::kTight);
}

TEST(LdClass, PaddedWhenRowsCrossLinesWithAGap) {
  Problem problem = Problem::mm(DType::kF32, 50, 50, 50);
  problem.ldb = 51;
  EXPECT_EQ(problem.ld_class(), LdClass::kPadded);
}

TEST(LdClass, GapsThatReachCacheLinesAreAligned) {
  Problem problem = Problem::mm(DType::kF32, 50, 50, 50);
  problem.lda = problem.ldb = problem.ldc = 80;
  EXPECT_EQ(problem.ld_class(), LdClass::kAligned);
}

TEST(LdClass, ConflictWhenOneRowPitchIsWholePages) {
  Problem problem = Problem::mm(DType::kF32, 50, 50, 50);
  problem.ldc = 1024;
  EXPECT_EQ(problem.ld_class(), LdClass::kConflict);
  problem.ldc = 1040;
  EXPECT_EQ(problem.ld_class(), LdClass::kPadded);
}

TEST(LdClass, ElementSizeDecidesThePitch) {
  EXPECT_EQ(Problem::mm(DType::kF64, 512, 512, 512).ld_class(), LdClass::kConflict);
  EXPECT_EQ(Problem::mm(DType::kF32, 512, 512, 512).ld_class(), LdClass::kAligned);
}

TEST(LdClass, SingleRowHasNoPitchToConflict) {
  // a is one row of 1024, c one row of 16.
  EXPECT_EQ(Problem::mm(DType::kF32, 1, 16, 1024).ld_class(), LdClass::kAligned);
}

TEST(LdClass, PointersOffTheCacheLineTakeTheRowsWithThem) {
  Problem problem = Problem::mm(DType::kF32, 48, 48, 48);
  problem.alignment_bytes = 32;
  EXPECT_EQ(problem.ld_class(), LdClass::kTight);
}

TEST(LdClass, BatchStrideOffTheCacheLineTakesTheRowsWithIt) {
  Problem problem = bmm(2, 48, 48, 48);
  EXPECT_EQ(problem.ld_class(), LdClass::kAligned);
  problem.a_batch_stride += 1;
  EXPECT_EQ(problem.ld_class(), LdClass::kTight);
}

TEST(LdClass, EmptyProblemIsAligned) {
  EXPECT_EQ(Problem::mm(DType::kF32, 0, 0, 0).ld_class(), LdClass::kAligned);
}

TEST(FromColumnMajor, ExchangesTheRolesOfAAndB) {
  Problem column_major = Problem::mm(DType::kF32, 2, 3, 5, true, false);
  column_major.a_type = DType::kI8;
  column_major.lda = 10;
  column_major.ldb = 11;
  column_major.ldc = 12;
  const Problem row_major = from_column_major(column_major);
  EXPECT_EQ(row_major.m, 3);
  EXPECT_EQ(row_major.n, 2);
  EXPECT_EQ(row_major.k, 5);
  EXPECT_EQ(row_major.b_type, DType::kI8);
  EXPECT_EQ(row_major.a_type, DType::kF32);
  EXPECT_FALSE(row_major.a_transposed);
  EXPECT_TRUE(row_major.b_transposed);
  EXPECT_EQ(row_major.lda, 11);
  EXPECT_EQ(row_major.ldb, 10);
  EXPECT_EQ(row_major.ldc, 12);
}

TEST(FromColumnMajor, ExchangesTheBatchStridesOfAAndB) {
  const Problem row_major = from_column_major(bmm(4, 2, 3, 5));
  EXPECT_EQ(row_major.a_batch_stride, 15);
  EXPECT_EQ(row_major.b_batch_stride, 10);
  EXPECT_EQ(row_major.c_batch_stride, 6);
}

TEST(FromColumnMajor, IsItsOwnInverse) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Problem problem = random_problem(random);
    ASSERT_EQ(from_column_major(from_column_major(problem)), problem) << to_string(problem);
  }
}

TEST(ClassifyScalar, NamesTheSpecialValuesAndNoOthers) {
  EXPECT_EQ(classify_scalar(0), ScalarClass::kZero);
  EXPECT_EQ(classify_scalar(-0.0), ScalarClass::kZero);
  EXPECT_EQ(classify_scalar(1), ScalarClass::kOne);
  EXPECT_EQ(classify_scalar(-1), ScalarClass::kMinusOne);
  EXPECT_EQ(classify_scalar(std::nextafter(1.0, 2.0)), ScalarClass::kOther);
  EXPECT_EQ(classify_scalar(std::nan("")), ScalarClass::kOther);
  EXPECT_EQ(classify_scalar(INFINITY), ScalarClass::kOther);
}

TEST(Problem, ValidateSaysWhatIsWrong) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5);
  problem.m = -2;
  EXPECT_THAT(problem.validate(),
              FailsWith(StatusCode::kInvalidArgument, "problem: m is -2; sizes are not negative"));
}

TEST(Problem, ValidateAcceptsWhatIsPossible) {
  EXPECT_TRUE(Problem::mm(DType::kF32, 2, 3, 5).validate().ok());
  EXPECT_TRUE(Problem().validate().ok());
}

TEST(LdClass, HasANameForEach) {
  EXPECT_EQ(to_string(LdClass::kAligned), "aligned");
  EXPECT_EQ(to_string(LdClass::kTight), "tight");
  EXPECT_EQ(to_string(LdClass::kPadded), "padded");
  EXPECT_EQ(to_string(LdClass::kConflict), "conflict");
}

}  // namespace
}  // namespace triode
