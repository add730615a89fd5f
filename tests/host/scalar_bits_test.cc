// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/scalar_bits.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

namespace triode::host {
namespace {

template <typename Scalar>
using Limits = std::numeric_limits<Scalar>;

TEST(ScalarBits, KnowsZeroOfEitherSignAndOne) {
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_TRUE(is_zero(zero));
    EXPECT_TRUE(is_zero(double{zero}));
    EXPECT_FALSE(is_one(zero));
  }
  EXPECT_TRUE(is_one(1.0f));
  EXPECT_TRUE(is_one(1.0));
  for (const double other : {-1.0, 2.0, Limits<double>::denorm_min(), Limits<double>::quiet_NaN(),
                             std::nextafter(1.0, 2.0)}) {
    EXPECT_FALSE(is_zero(other));
    EXPECT_FALSE(is_one(other));
  }
}

TEST(ScalarBits, WidensToTheSameNumber) {
  for (const float value :
       {0.0f, 1.0f, -2.5f, Limits<float>::max(), Limits<float>::min(), Limits<float>::denorm_min(),
        -Limits<float>::denorm_min(), std::nextafter(Limits<float>::min(), 0.0f),
        Limits<float>::infinity(), -Limits<float>::infinity()}) {
    EXPECT_EQ(widened(value), double{value});
    EXPECT_EQ(widened(-value), -double{value});
  }
  EXPECT_TRUE(std::signbit(widened(-0.0f)));
  EXPECT_TRUE(std::isnan(widened(Limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(widened(Limits<float>::signaling_NaN())));
}

TEST(ScalarBits, RaisesNoException) {
  volatile float odd[] = {std::bit_cast<float>(0x7fa00000u), Limits<float>::denorm_min()};
  for (int i = 0; i < 2; ++i) {
    std::feclearexcept(FE_ALL_EXCEPT);
    const float value = odd[i];
    volatile double wide = widened(value);
    EXPECT_FALSE(is_zero(value) || is_one(value));
    EXPECT_FALSE(is_zero(double{wide}));
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  }
}

}  // namespace
}  // namespace triode::host
