// SPDX-License-Identifier: Apache-2.0
#include "learner/model/policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::ElementsAre;

// Six candidates in two dimensions; 4 and 5 are of another mechanism class.
class Proposing : public ::testing::Test {
 protected:
  void SetUp() override {
    ranking.basis_size = 2;
    const double scores[] = {0.00, 0.01, 0.10, 0.30, 0.40, 0.90};
    for (uint32_t i = 0; i < 6; ++i) {
      Candidate candidate;
      candidate.index = 100 + i;
      candidate.score = scores[i];
      candidate.stddev = 0.05;
      candidate.mechanism = i >= 4 ? 1 : 0;
      ranking.candidates.push_back(candidate);
      ranking.basis.insert(ranking.basis.end(), {static_cast<float>(i), 1.0f});
    }
    online.mean = {0, 0};
    online.covariance = {0.01, 0, 0, 0.01};
    options.kind = PolicyKind::kGreedy;
  }
  Proposal proposed(uint64_t seed = 1) const {
    Random random(seed);
    return propose(ranking, online, tried, options, random);
  }
  Ranking ranking;
  OnlineState online;
  std::vector<Tried> tried;
  PolicyOptions options;
};

TEST_F(Proposing, GreedilyTakesTheBestScores) {
  EXPECT_THAT(proposed().picks, ElementsAre(0, 1, 2));
}

TEST_F(Proposing, NeverProposesTwice) {
  tried = {{100, -7.0}, {102, std::nullopt}};
  EXPECT_THAT(proposed().picks, ElementsAre(1, 3, 4));
}

TEST_F(Proposing, ByLowerBoundTakesWhatMightBeBetter) {
  options.kind = PolicyKind::kLcb;
  options.batch = 1;
  ranking.candidates[3].stddev = 0.5;
  EXPECT_THAT(proposed().picks, ElementsAre(3));
}

TEST_F(Proposing, ReservesASlotForAnotherMechanismWhileItMightBeBetter) {
  options.kind = PolicyKind::kReserved;
  ranking.candidates[4].stddev = 0.2;
  EXPECT_THAT(proposed().picks, ElementsAre(0, 1, 4));
}

TEST_F(Proposing, GivesTheSlotBackOnceTheOtherMechanismIsKnownToBeSlower) {
  options.kind = PolicyKind::kReserved;
  EXPECT_THAT(proposed().picks, ElementsAre(0, 1, 2));
}

TEST_F(Proposing, ByThompsonExploresInProportionToDoubt) {
  options.kind = PolicyKind::kThompson;
  options.batch = 1;
  int others = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) others += proposed(seed).picks.front() > 1 ? 1 : 0;
  EXPECT_GT(others, 20);
  online.covariance = {1e-9, 0, 0, 1e-9};
  for (uint64_t seed = 0; seed < 200; ++seed) EXPECT_EQ(proposed(seed).picks.front(), 0u);
}

TEST_F(Proposing, IsTheSameUnderTheSameSeed) {
  options.kind = PolicyKind::kThompson;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(proposed(seed).picks, proposed(seed).picks);
  }
}

TEST_F(Proposing, LetsNearTwinsWait) {
  options.batch = 2;
  ranking.basis[2] = 0.001f;  // candidate 1 does what candidate 0 does
  EXPECT_THAT(proposed().picks, ElementsAre(0, 2));
  options.batch = 6;
  EXPECT_EQ(proposed().picks.size(), 6u);  // but they are not lost
}

TEST_F(Proposing, TimesBothOfTwoThatTheModelCannotTellApart) {
  options.batch = 2;
  ranking.basis[2] = ranking.basis[0];
  EXPECT_THAT(proposed().picks, ElementsAre(0, 1));
}

TEST_F(Proposing, LeavesOutWhatIsLikelyToFail) {
  ranking.candidates[0].failure_probability = 0.9;
  EXPECT_THAT(proposed().picks, ElementsAre(1, 2, 3));
}

TEST_F(Proposing, TriesWhatIsLikelyToFailWhenNothingElseIsLeft) {
  for (Candidate& candidate : ranking.candidates) candidate.failure_probability = 0.9;
  EXPECT_THAT(proposed().picks, ElementsAre(0, 1, 2));
}

TEST_F(Proposing, ExpectsEverythingOfTheFirstTrial) {
  EXPECT_EQ(proposed().expected_gain, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(proposed().worthwhile);
}

TEST_F(Proposing, StopsWhenTheGainIsBelowTheNoise) {
  tried = {{100, -7.0}, {101, -6.99}, {102, -6.9}};
  online.noise = 0.02;
  EXPECT_FALSE(proposed().worthwhile);  // the next is 0.3 behind, six deviations
  EXPECT_LT(proposed().expected_gain, options.noise);
  ranking.candidates[3].stddev = 0.5;
  EXPECT_TRUE(proposed().worthwhile);
}

TEST_F(Proposing, StopsWhenNothingIsLeft) {
  for (uint32_t i = 0; i < 6; ++i) tried.push_back({100 + i, -7.0});
  EXPECT_TRUE(proposed().picks.empty());
  EXPECT_FALSE(proposed().worthwhile);
}

TEST(PolicyKind, ReadsBackWhatItPrints) {
  for (const PolicyKind kind :
       {PolicyKind::kGreedy, PolicyKind::kLcb, PolicyKind::kThompson, PolicyKind::kReserved}) {
    EXPECT_EQ(*parse_policy_kind(to_string(kind)), kind);
  }
  EXPECT_THAT(parse_policy_kind("random"),
              FailsWith(StatusCode::kInvalidArgument, ::testing::HasSubstr("thompson")));
}

}  // namespace
}  // namespace triode
