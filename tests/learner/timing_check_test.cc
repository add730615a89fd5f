// SPDX-License-Identifier: Apache-2.0
#include "learner/model/timing_check.h"

#include <gtest/gtest.h>

#include <cmath>

namespace triode {
namespace {

TEST(CheckTiming, AcceptsWhatADeviceCanDo) {
  EXPECT_EQ(check_timing(1e-4, 1e-4, 4e-6), TimingVerdict::kUsable);
  EXPECT_EQ(check_timing(0.9e-4, 1e-4, 4e-6), TimingVerdict::kUsable);
  EXPECT_EQ(check_timing(5000e-4, 1e-4, 4e-6), TimingVerdict::kUsable);
  // A tiny problem is bound by its launch, which is not a limit that can be trusted.
  EXPECT_EQ(check_timing(1e-6, 4.001e-6, 4e-6), TimingVerdict::kUsable);
}

TEST(CheckTiming, RefusesWhatNoClockShows) {
  EXPECT_EQ(check_timing(NAN, 1e-4, 0), TimingVerdict::kNotFinite);
  EXPECT_EQ(check_timing(INFINITY, 1e-4, 0), TimingVerdict::kNotFinite);
  EXPECT_EQ(check_timing(0, 1e-4, 0), TimingVerdict::kNotPositive);
  EXPECT_EQ(check_timing(-1, 1e-4, 0), TimingVerdict::kNotPositive);
}

TEST(CheckTiming, RefusesWhatNoDeviceDoes) {
  EXPECT_EQ(check_timing(1e-6, 1e-4, 4e-6), TimingVerdict::kFasterThanPossible);
  EXPECT_EQ(check_timing(100, 1e-4, 4e-6), TimingVerdict::kAbsurdlySlow);
}

TEST(TimingCounts, CountRefusalsApart) {
  TimingCounts counts;
  counts.add(TimingVerdict::kUsable);
  counts.add(TimingVerdict::kNotFinite);
  counts.add(TimingVerdict::kAbsurdlySlow);
  EXPECT_EQ(counts.refused(), 2u);
}

}  // namespace
}  // namespace triode
