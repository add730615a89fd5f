// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace triode::bench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;

std::vector<std::int64_t> sizes_of(const std::vector<Problem>& shapes) {
  std::vector<std::int64_t> sizes;
  for (const Problem& shape : shapes) sizes.insert(sizes.end(), {shape.m, shape.n, shape.k});
  return sizes;
}

TEST(TunerShapes, StayWithinTheRange) {
  EXPECT_THAT(sizes_of(tuner_shapes(500, 1)), Each(AllOf(Ge(kSmallestSize), Le(kLargestSize))));
  EXPECT_THAT(sizes_of(tuner_shapes(100, 2, 16)), Each(AllOf(Ge(kSmallestSize), Le(16))));
}

TEST(TunerShapes, EverySecondIsOdd) {
  const std::vector<Problem> shapes = tuner_shapes(200, 3);
  for (std::size_t i = 1; i < shapes.size(); i += 2) {
    EXPECT_TRUE(shapes[i].m % 2 == 1 && shapes[i].n % 2 == 1 && shapes[i].k % 2 == 1) << i;
  }
}

TEST(TunerShapes, NoTwoAreTheSame) {
  std::set<std::array<std::int64_t, 3>> distinct;
  for (const Problem& shape : tuner_shapes(1000, 4, 24)) {
    distinct.insert({shape.m, shape.n, shape.k});
  }
  EXPECT_EQ(distinct.size(), 1000u);
}

TEST(TunerShapes, AreDrawnLogUniformly) {
  // As many below 64, the middle of 4 and 1024 on that scale, as above.
  int below = 0;
  const std::vector<std::int64_t> sizes = sizes_of(tuner_shapes(1000, 5));
  for (const std::int64_t size : sizes) below += size < 64 ? 1 : 0;
  EXPECT_NEAR(below, 1500, 100);
}

TEST(TunerShapes, TheSeedDecidesAndFewerAreTheFirst) {
  const std::vector<Problem> ten = tuner_shapes(10, 6);
  EXPECT_EQ(ten, tuner_shapes(10, 6));
  EXPECT_NE(ten, tuner_shapes(10, 7));
  EXPECT_EQ(std::vector<Problem>(ten.begin(), ten.begin() + 4), tuner_shapes(4, 6));
}

}  // namespace
}  // namespace triode::bench
