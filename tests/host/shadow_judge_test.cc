// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/shadow_judge.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace triode::host {
namespace {

// Stretches until it is lost, at most `most`, where the plan is slower in this share of them.
int stretches_until_lost(ShadowJudge& judge, double share_slower, uint64_t seed, int most) {
  Random random(seed);
  for (int i = 1; i <= most; ++i) {
    judge.add(random.uniform() < share_slower ? 1.05 : 0.95, 1);
    if (judge.has_lost()) return i;
  }
  return most;
}

TEST(ShadowJudge, KeepsAPlanThroughNoise) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ShadowJudge judge;
    EXPECT_EQ(stretches_until_lost(judge, 0.25, seed, 1000), 1000) << seed;
  }
}

TEST(ShadowJudge, DropsAPlanThatIsSlowerMostOfTheTime) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ShadowJudge judge;
    EXPECT_LT(stretches_until_lost(judge, 0.8, seed, 1000), 60) << seed;
  }
}

// The drift that it is for: a plan that led for long is not protected by it.
TEST(ShadowJudge, NoticesALeadThatIsLostLate) {
  ShadowJudge judge;
  for (int i = 0; i < 100'000; ++i) judge.add(0.5, 1);
  for (int i = 0; i < 11; ++i) judge.add(1.01, 1);
  EXPECT_FALSE(judge.has_lost());
  judge.add(1.01, 1);
  EXPECT_TRUE(judge.has_lost());
}

TEST(ShadowJudge, DropsAPlanSoonThatHasBecomeFarSlower) {
  ShadowJudge judge;
  for (int i = 0; i < 3; ++i) judge.add(2, 1);
  EXPECT_FALSE(judge.has_lost());
  judge.add(2, 1);
  EXPECT_TRUE(judge.has_lost());
}

TEST(ShadowJudge, DropsNoPlanForWhatSlowsBoth) {
  ShadowJudge judge;
  for (int i = 1; i < 1000; ++i) judge.add(0.9 * i, 1.0 * i);
  EXPECT_FALSE(judge.has_lost());
}

}  // namespace
}  // namespace triode::host
