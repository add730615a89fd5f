// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/vendor_checked_operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/core/status_matchers.h"
#include "tests/reference/reference_gemm.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

VendorKernel reference(const Problem& problem) {
  return [problem](const Operands& operands) { reference_gemm(problem, operands); };
}

std::unique_ptr<VendorCheckedOperands> make(const char* text) {
  const Problem problem = parse_problem(text).take();
  return VendorCheckedOperands::make(problem, 1, reference(problem)).take();
}

// What the check says of a right result with this number added to one element of c.
Outcome check_with(const char* text, size_t element, float error) {
  const auto checked = make(text);
  checked->reset_c();
  reference_gemm(parse_problem(text).take(), checked->operands());
  static_cast<float*>(checked->operands().c)[element] += error;
  return checked->check();
}

TEST(VendorCheckedOperands, AcceptTheVendorsResultForProblemsOfAllKinds) {
  for (const char* text :
       {"mm f32 5x6x7 nn", "mm f64 5x6x7 nt", "mm f32 5x6x7 tn align=4", "mm f64 5x6x7 tt",
        "mm f32 5x6x7 nn beta=1", "mm f64 5x6x7 nn alpha=other beta=other",
        "mm f32 5x6x7 nn alpha=-1 beta=-1 ld=9,10,11", "bmm f32 3x5x6x7 nt",
        "bmm f32 3x5x6x7 nn ld=7,18,18 strides=0,6,6 beta=1"}) {
    const auto checked = make(text);
    checked->reset_c();
    reference_gemm(parse_problem(text).take(), checked->operands());
    EXPECT_EQ(checked->check(), Outcome{}) << text;
  }
}

TEST(VendorCheckedOperands, AcceptNoUntouchedResult) {
  const auto checked = make("mm f32 4x4x4 nn");
  checked->reset_c();
  EXPECT_EQ(checked->check().kind, OutcomeKind::kWrongResult);
}

TEST(VendorCheckedOperands, FindOneElementThatIsOffByAnEighthOfAnEighth) {
  EXPECT_EQ(check_with("mm f32 40x40x1000 nn", 777, 0), Outcome{});
  const Outcome outcome = check_with("mm f32 40x40x1000 nn", 777, 1.0F / 64);
  EXPECT_EQ(outcome.kind, OutcomeKind::kWrongResult);
  EXPECT_THAT(outcome.reason, HasSubstr("element 777 of c"));
}

TEST(VendorCheckedOperands, AllowNoMoreThanTheBound) {
  const float eps = 0x1p-23F;
  EXPECT_TRUE(check_with("mm f32 4x4x4 nn", 3, 4 * eps).ok());
  EXPECT_FALSE(check_with("mm f32 4x4x4 nn", 3, 64 * eps).ok());
}

TEST(VendorCheckedOperands, FindAWriteBetweenTheRowsOfC) {
  EXPECT_EQ(check_with("mm f32 4x4x4 nn ld=4,4,6", 4, 0), Outcome{});
  EXPECT_EQ(check_with("mm f32 4x4x4 nn ld=4,4,6", 4, 1).kind, OutcomeKind::kWrongResult);
}

TEST(VendorCheckedOperands, FindAWriteBehindTheLastRowAndBetweenMatrices) {
  EXPECT_FALSE(check_with("mm f32 4x4x4 nn ld=4,4,6", 23, 1).ok());
  EXPECT_FALSE(check_with("bmm f32 2x4x4x4 nn strides=16,16,20", 17, 1).ok());
}

TEST(VendorCheckedOperands, FindCReadWhereBetaIsZero) {
  const auto checked = make("mm f32 4x4x4 nn");
  Operands reads_c = checked->operands();
  reads_c.beta = 1;
  checked->reset_c();
  reference_gemm(parse_problem("mm f32 4x4x4 nn beta=1").take(), reads_c);
  EXPECT_EQ(checked->check().kind, OutcomeKind::kWrongResult);
}

TEST(VendorCheckedOperands, CallEverythingWrongWhereTheVendorWroteNothing) {
  const Problem problem = Problem::mm(DType::kF32, 4, 4, 4);
  const auto checked = VendorCheckedOperands::make(problem, 1, [](const Operands&) {}).take();
  checked->reset_c();
  EXPECT_EQ(checked->check().kind, OutcomeKind::kWrongResult);
}

TEST(VendorCheckedOperands, RefuseWhatCannotBeChecked) {
  EXPECT_THAT(VendorCheckedOperands::make(Problem::mm(DType::kBF16, 4, 4, 4), 1, {}),
              FailsWith(StatusCode::kUnsupported, HasSubstr("only f32 and f64")));
}

}  // namespace
}  // namespace triode
