// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/interruption_counter.h"

#include <gtest/gtest.h>

namespace triode {
namespace {

TEST(InterruptionCounter, OfTheKernelNeverGoesBack) {
  const InterruptionCounter& counter = kernel_interruptions();
  const int64_t preemptions = counter.preemptions();
  const int64_t stolen = counter.stolen_ticks();
  EXPECT_GE(preemptions, 0);
  EXPECT_GE(stolen, 0);
  EXPECT_GE(counter.preemptions(), preemptions);
  EXPECT_GE(counter.stolen_ticks(), stolen);
  const std::chrono::nanoseconds waited = counter.waited();
  EXPECT_GE(waited.count(), 0);
  EXPECT_GE(counter.waited(), waited);
}

}  // namespace
}  // namespace triode
