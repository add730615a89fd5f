// SPDX-License-Identifier: Apache-2.0
#include "core/problem_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/problem_layout.h"
#include "tests/core/random_problem.h"

namespace triode {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::Optional;

auto fault(ProblemPart part, const std::string& message) {
  return Optional(AllOf(Field(&ProblemFault::part, part), Field(&ProblemFault::message, message)));
}

class FindFault : public ::testing::Test {
 protected:
  void make_bmm(int64_t batch) {
    problem_.op = Op::kBmm;
    problem_.batch = batch;
    problem_.make_tight();
  }

  Problem problem_ = Problem::mm(DType::kF32, 2, 3, 5);
};

TEST_F(FindFault, FindsNoneInRandomValidProblems) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Problem problem = random_problem(random);
    ASSERT_FALSE(find_fault(problem)) << to_string(problem) << ": " << find_fault(problem)->message;
  }
}

TEST_F(FindFault, NegativeSizes) {
  problem_.k = -1;
  EXPECT_THAT(find_fault(problem_), fault(ProblemPart::kSizes, "k is -1; sizes are not negative"));
  make_bmm(-4);
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kSizes, "batch is -4; sizes are not negative"));
}

TEST_F(FindFault, BatchOfAnOpWithoutOne) {
  problem_.batch = 2;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kSizes, "batch is 2, but mm has a batch of 1; bmm takes any"));
}

TEST_F(FindFault, ShortLeadingDimensions) {
  problem_.lda = 4;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kLeadingDimensions,
                    "lda is 4, but a stored row of a has 5 elements; expected at least that"));
  problem_.make_tight();
  problem_.ldc = -3;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kLeadingDimensions,
                    "ldc is -3, but a stored row of c has 3 elements; expected at least that"));
}

TEST_F(FindFault, TransposeDecidesWhatIsShort) {
  problem_ = Problem::mm(DType::kF32, 2, 3, 5, true, true);
  EXPECT_FALSE(find_fault(problem_));
  problem_.ldb = 4;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kLeadingDimensions,
                    "ldb is 4, but a stored row of b has 5 elements; expected at least that"));
}

TEST_F(FindFault, NegativeStrides) {
  make_bmm(2);
  problem_.b_batch_stride = -1;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kStrides, "b_batch_stride is -1; strides are not negative"));
}

TEST_F(FindFault, StridesOfAnOpWithoutABatch) {
  problem_.a_batch_stride = 10;
  EXPECT_THAT(find_fault(problem_), fault(ProblemPart::kStrides,
                                          "a_batch_stride is 10, but mm has no batch; expected 0"));
}

TEST_F(FindFault, ResultsOnTheSameMemory) {
  make_bmm(2);
  problem_.c_batch_stride = 0;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kStrides,
                    "c_batch_stride is 0, so that all results fall on the same memory; expected at "
                    "least 1"));
}

TEST_F(FindFault, RepeatedInputsAreFine) {
  make_bmm(2);
  problem_.a_batch_stride = 0;
  problem_.b_batch_stride = 0;
  EXPECT_FALSE(find_fault(problem_));
}

TEST_F(FindFault, InterleavedResultsAreFine) {
  make_bmm(2);
  problem_.ldc = 6;
  problem_.c_batch_stride = 3;
  EXPECT_FALSE(find_fault(problem_));
}

TEST_F(FindFault, SingleOrEmptyResultMayHaveNoStride) {
  make_bmm(1);
  problem_.c_batch_stride = 0;
  EXPECT_FALSE(find_fault(problem_));
  problem_.m = 0;
  make_bmm(4);
  EXPECT_EQ(problem_.c_batch_stride, 0);
  EXPECT_FALSE(find_fault(problem_));
}

TEST_F(FindFault, OperandBeyondTheAddressRange) {
  // 2^61 elements of four bytes are one byte too many; one element less is not.
  problem_ = Problem::mm(DType::kF32, int64_t{1} << 31, 1, int64_t{1} << 30);
  EXPECT_THAT(
      find_fault(problem_),
      fault(ProblemPart::kSizes,
            "operand a spans more than 9223372036854775807 bytes; expected smaller sizes or "
            "strides"));
  problem_ = Problem::mm(DType::kF32, 1, 1, (int64_t{1} << 61) - 1);
  EXPECT_FALSE(find_fault(problem_));
}

TEST_F(FindFault, BatchBeyondTheAddressRange) {
  make_bmm(3);
  problem_.c_batch_stride = int64_t{1} << 60;
  EXPECT_THAT(find_fault(problem_), Optional(Field(&ProblemFault::part, ProblemPart::kSizes)));
  problem_.batch = 2;
  EXPECT_FALSE(find_fault(problem_));
}

TEST_F(FindFault, LargestNumbersDoNotOverflowTheCheckItself) {
  make_bmm(INT64_MAX);
  problem_.m = problem_.n = problem_.k = INT64_MAX;
  set_leading_dimensions({INT64_MAX, INT64_MAX, INT64_MAX}, problem_);
  set_batch_strides({INT64_MAX, INT64_MAX, INT64_MAX}, problem_);
  EXPECT_THAT(find_fault(problem_), Optional(Field(&ProblemFault::part, ProblemPart::kSizes)));
}

class BadAlignment : public ::testing::TestWithParam<int32_t> {};

TEST_P(BadAlignment, IsAFault) {
  Problem problem = Problem::mm(DType::kF32, 2, 3, 5);
  problem.alignment_bytes = GetParam();
  EXPECT_THAT(find_fault(problem),
              fault(ProblemPart::kAlignment, "alignment is " + std::to_string(GetParam()) +
                                                 " bytes; expected 1, 2, 4, 8, 16, 32 or 64"));
}

INSTANTIATE_TEST_SUITE_P(FindFault, BadAlignment, ::testing::Values(0, 3, 48, 128, -64, INT32_MIN));

TEST_F(FindFault, NoThreads) {
  problem_.threads = 0;
  EXPECT_THAT(find_fault(problem_),
              fault(ProblemPart::kThreads, "threads is 0; expected at least 1"));
}

}  // namespace
}  // namespace triode
