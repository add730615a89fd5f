// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cold_operands.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace triode {
namespace {

constexpr double kSampleNs = 20'000;

class ColdOperandsTest : public ::testing::Test {
 protected:
  ColdOperandsTest() {
    problem_.lda = 20;
    std::iota(a_.begin(), a_.end(), 0.0f);
    std::iota(b_.begin(), b_.end(), 1000.0f);
    std::iota(c_.begin(), c_.end(), 2000.0f);
  }

  Problem problem_ = Problem::mm(DType::kF32, 4, 8, 16);
  std::vector<float> a_ = std::vector<float>(3 * 20 + 16);
  std::vector<float> b_ = std::vector<float>(16 * 8);
  std::vector<float> c_ = std::vector<float>(4 * 8);
  Operands operands_{a_.data(), b_.data(), c_.data(), 2, 3};
};

TEST_F(ColdOperandsTest, StartWithTheCallersMemoryAndComeRound) {
  ColdOperands cold = std::move(ColdOperands::make(problem_, operands_, kSampleNs)).take();
  ASSERT_GT(cold.count(), 1);
  EXPECT_EQ(cold.next().a, a_.data());
  for (int i = 1; i < cold.count(); ++i) EXPECT_NE(cold.next().a, a_.data());
  EXPECT_EQ(cold.next().c, c_.data());
}

TEST_F(ColdOperandsTest, HoldTheSameValuesAtTheSameAlignment) {
  ColdOperands cold = std::move(ColdOperands::make(problem_, operands_, kSampleNs)).take();
  for (int i = 0; i < cold.count(); ++i) {
    const Operands& copy = cold.next();
    ASSERT_EQ(std::memcmp(copy.a, a_.data(), a_.size() * sizeof(float)), 0);
    ASSERT_EQ(std::memcmp(copy.b, b_.data(), b_.size() * sizeof(float)), 0);
    ASSERT_EQ(std::memcmp(copy.c, c_.data(), c_.size() * sizeof(float)), 0);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(copy.c) % 4096,
              reinterpret_cast<uintptr_t>(c_.data()) % 4096);
    ASSERT_EQ(copy.alpha, 2);
    ASSERT_EQ(copy.beta, 3);
  }
}

TEST_F(ColdOperandsTest, KeepTheirValuesWhenEvictedAndStartAgain) {
  ColdOperands cold = std::move(ColdOperands::make(problem_, operands_, kSampleNs)).take();
  cold.next();
  cold.evict();
  const Operands& first = cold.next();
  EXPECT_EQ(first.a, a_.data());
  EXPECT_EQ(static_cast<const float*>(first.a)[17], 17);
}

TEST_F(ColdOperandsTest, NeedNoCopyWhenOneCallFillsASample) {
  const ColdOperands cold = std::move(ColdOperands::make(problem_, operands_, 1)).take();
  EXPECT_EQ(cold.count(), 1);
}

TEST_F(ColdOperandsTest, OfAnEmptyProblemAreHarmless) {
  const Problem empty = Problem::mm(DType::kF32, 0, 8, 0);
  ColdOperands cold = std::move(ColdOperands::make(empty, Operands{}, kSampleNs)).take();
  cold.evict();
  EXPECT_EQ(cold.next().a, nullptr);
}

}  // namespace
}  // namespace triode
