// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/guarded_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/fault_trap.h"

namespace triode {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr MatrixShape kPadded = {.rows = 3, .columns = 5, .ld = 8};

volatile float* floats(GuardedMatrix& matrix) {
  return static_cast<volatile float*>(matrix.data());
}

TEST(MatrixShape, EndsAtTheLastColumnOfTheLastRow) {
  EXPECT_EQ(kPadded.extent(), 2 * 8 + 5);
  EXPECT_EQ((MatrixShape{3, 5, 8, 4, 30}.extent()), 3 * 30 + 2 * 8 + 5);
  EXPECT_EQ((MatrixShape{0, 5, 8}.extent()), 0);
}

TEST(GuardedMatrix, FaultsOneElementPastTheEnd) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kAfterEnd);
  float sink = 0;
  EXPECT_FALSE(trap_fault([&] { sink = floats(matrix)[20]; }).has_value());
  const std::optional<Fault> fault = trap_fault([&] { sink = floats(matrix)[21]; });
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(matrix.memory().locate(fault->address), "0 bytes past the end");
}

TEST(GuardedMatrix, FaultsOneElementBeforeTheStart) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kBeforeStart);
  EXPECT_FALSE(trap_fault([&] { floats(matrix)[0] = 1; }).has_value());
  const std::optional<Fault> fault = trap_fault([&] { floats(matrix)[-1] = 1; });
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(matrix.memory().locate(fault->address), "4 bytes before the start");
}

TEST(GuardedMatrix, FaultsAnywhereIfItIsEmpty) {
  GuardedMatrix matrix(DType::kF64, {.rows = 0, .columns = 4, .ld = 4}, Guard::kAfterEnd);
  EXPECT_TRUE(trap_fault([&] { floats(matrix)[0] = 1; }).has_value());
  EXPECT_TRUE(trap_fault([&] { floats(matrix)[-1] = 1; }).has_value());
}

TEST(GuardedMatrix, OffsetMovesItAwayFromTheGuard) {
  GuardedMatrix aligned(DType::kF32, kPadded, Guard::kBeforeStart);
  GuardedMatrix moved(DType::kF32, kPadded, Guard::kBeforeStart, 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned.data()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(moved.data()) % 64, 4u);
}

TEST(GuardedMatrix, FillsWithTheSameValuesForTheSameSeed) {
  GuardedMatrix first(DType::kF32, kPadded, Guard::kAfterEnd);
  GuardedMatrix second(DType::kF32, kPadded, Guard::kBeforeStart);
  first.fill(7);
  second.fill(7);
  EXPECT_EQ(first.snapshot(), second.snapshot());
  second.fill(8);
  EXPECT_NE(first.snapshot(), second.snapshot());
  EXPECT_LE(std::abs(first.get(0, 2, 4)), 1);
}

TEST(GuardedMatrix, GapsAreNan) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kAfterEnd);
  matrix.fill_with(2);
  EXPECT_EQ(matrix.get(0, 0, 4), 2);
  EXPECT_TRUE(std::isnan(floats(matrix)[5]));
  EXPECT_TRUE(std::isnan(floats(matrix)[7]));
  EXPECT_EQ(matrix.get(0, 1, 0), 2);
}

TEST(GuardedMatrix, FindsAWriteIntoAGap) {
  GuardedMatrix matrix(DType::kF64, kPadded, Guard::kAfterEnd);
  matrix.fill(1);
  EXPECT_EQ(matrix.damage(), std::nullopt);
  static_cast<double*>(matrix.data())[8 + 6] = 0;
  EXPECT_THAT(matrix.damage(), Optional(HasSubstr("gap 14 elements after the first")));
}

TEST(GuardedMatrix, FindsAWriteBetweenTheMatricesOfABatch) {
  const MatrixShape shape = {.rows = 2, .columns = 2, .ld = 2, .batch = 2, .batch_stride = 5};
  GuardedMatrix matrix(DType::kF32, shape, Guard::kAfterEnd);
  matrix.fill(1);
  matrix.set(1, 0, 0, 3);
  EXPECT_EQ(matrix.damage(), std::nullopt);
  floats(matrix)[4] = 0;
  EXPECT_THAT(matrix.damage(), Optional(HasSubstr("gap 4 elements")));
}

TEST(GuardedMatrix, FindsAWriteOnItsUnguardedSide) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kAfterEnd);
  matrix.fill(1);
  floats(matrix)[-1] = 0;
  EXPECT_THAT(matrix.damage(), Optional(HasSubstr("outside the matrix")));
}

TEST(GuardedMatrix, RestoreUndoesWrites) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kAfterEnd);
  matrix.fill(1);
  const std::vector<std::byte> before = matrix.snapshot();
  floats(matrix)[6] = 0;
  matrix.set(0, 0, 0, 9);
  matrix.restore(before);
  EXPECT_EQ(matrix.snapshot(), before);
  EXPECT_EQ(matrix.damage(), std::nullopt);
}

TEST(GuardedMemory, WritesFaultWhileTheyAreForbidden) {
  GuardedMatrix matrix(DType::kF32, kPadded, Guard::kAfterEnd);
  matrix.memory().forbid_writes();
  EXPECT_TRUE(trap_fault([&] { floats(matrix)[3] = 1; }).has_value());
  matrix.memory().allow_writes();
  EXPECT_FALSE(trap_fault([&] { floats(matrix)[3] = 1; }).has_value());
}

}  // namespace
}  // namespace triode
