// SPDX-License-Identifier: Apache-2.0
#include "runtime/search/problem_operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ProblemOperands make(const char* text, uint64_t seed = 1) {
  return ProblemOperands::make(parse_problem(text).take(), seed).take();
}

std::vector<float> floats(const void* data, size_t count) {
  const std::span<const float> all(static_cast<const float*>(data), count);
  return {all.begin(), all.end()};
}

TEST(ProblemOperands, HoldEighthsBetweenMinusOneAndOne) {
  const ProblemOperands made = make("mm f32 20x20x20 nn");
  std::set<float> values;
  for (const float value : floats(made.operands().a, 400)) values.insert(value * 8);
  EXPECT_EQ(values.size(), 17u);
  EXPECT_EQ(*values.begin(), -8);
  EXPECT_EQ(*values.rbegin(), 8);
}

TEST(ProblemOperands, AreTheSameForTheSameSeedOnly) {
  const auto b_of = [](uint64_t seed) {
    return floats(make("mm f32 20x20x20 nn", seed).operands().b, 400);
  };
  EXPECT_EQ(b_of(1), b_of(1));
  EXPECT_NE(b_of(1), b_of(2));
}

TEST(ProblemOperands, HoldNanBetweenTheRowsOfAAndB) {
  const ProblemOperands made = make("mm f32 2x2x2 nn ld=3,4,2");
  const std::vector<float> a = floats(made.operands().a, 6);
  const std::vector<float> b = floats(made.operands().b, 8);
  EXPECT_TRUE(std::isnan(a[2]) && std::isnan(a[5]));
  EXPECT_TRUE(std::isnan(b[2]) && std::isnan(b[3]) && std::isnan(b[6]) && std::isnan(b[7]));
  EXPECT_FALSE(std::isnan(a[3]) || std::isnan(b[4]));
}

TEST(ProblemOperands, LieAtTheProblemsAlignmentAndNoBetter) {
  const ProblemOperands made = make("mm f32 4x4x4 nn align=16");
  for (const void* data :
       {made.operands().a, made.operands().b, static_cast<const void*>(made.operands().c)}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 32, 16u);
  }
}

TEST(ProblemOperands, HaveScalarsOfTheirClasses) {
  const Operands named = make("mm f32 4x4x4 nn alpha=-1 beta=1").operands();
  EXPECT_EQ(named.alpha, -1);
  EXPECT_EQ(named.beta, 1);
  const Operands other = make("mm f32 4x4x4 nn alpha=other beta=other").operands();
  EXPECT_EQ(classify_scalar(other.alpha), ScalarClass::kOther);
  EXPECT_EQ(classify_scalar(other.beta), ScalarClass::kOther);
}

TEST(ProblemOperands, BeginWithNanInCWhereBetaIsZero) {
  ProblemOperands made = make("mm f64 2x1x1 nn ld=1,1,2");
  auto* const c = static_cast<double*>(made.operands().c);
  c[0] = c[1] = 3;
  made.reset_c();
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[2]));
  EXPECT_THAT((std::vector<double>{c[1], c[3]}), Each(ProblemOperands::kGap));
}

TEST(ProblemOperands, BeginWithDifferentValuesInCWhereBetaIsNotZero) {
  const ProblemOperands made = make("bmm f32 2x1x2x1 nn ld=1,2,3 strides=1,2,4 beta=1");
  const auto at = [](int64_t z, int64_t j) {
    return static_cast<float>(ProblemOperands::initial_c(z, 0, j));
  };
  const float gap = ProblemOperands::kGap;
  EXPECT_THAT(floats(made.operands().c, 7),
              ElementsAre(at(0, 0), at(0, 1), gap, gap, at(1, 0), at(1, 1), gap));
  EXPECT_THAT((std::set<float>{at(0, 0), at(0, 1), at(1, 0), at(1, 1)}), ::testing::SizeIs(4));
}

TEST(ProblemOperands, CountTheBytesOfTheWholeBatch) {
  const Problem problem = parse_problem("bmm f32 3x2x2x2 nn ld=4,4,4 strides=8,0,100").take();
  EXPECT_EQ(operand_bytes(problem), 4 * (24 + 8 + 208));
}

TEST(ProblemOperands, RefuseWhatCannotBeChecked) {
  EXPECT_THAT(ProblemOperands::make(Problem::mm(DType::kBF16, 4, 4, 4), 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("only f32 and f64")));
  EXPECT_THAT(ProblemOperands::make(parse_problem("mm f64 4x4x4 nn align=4").take(), 1),
              FailsWith(StatusCode::kUnsupported, HasSubstr("aligned to their elements")));
}

}  // namespace
}  // namespace triode
