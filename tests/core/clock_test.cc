// SPDX-License-Identifier: Apache-2.0
#include "core/clock.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

TEST(SteadyClock, NeverGoesBack) {
  std::chrono::nanoseconds last = steady_clock().now();
  for (int i = 0; i < 10000; ++i) {
    const std::chrono::nanoseconds now = steady_clock().now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClock, AgreesWithTheMachinesClock) {
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const std::chrono::nanoseconds now = steady_clock().now();
  const auto after = std::chrono::steady_clock::now().time_since_epoch();
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(SteadyClock, IsOneObject) {
  EXPECT_EQ(&steady_clock(), &steady_clock());
}

}  // namespace
}  // namespace triode
