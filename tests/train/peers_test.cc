// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/train/generated_timings.h"

namespace triode::eval_tool {
namespace {

using ::testing::HasSubstr;

TEST(Peers, AreMissingWithoutAPython) {
  const std::vector<train::TimedProblem> problems = train::generated_timings(4, 1);
  const train::FeatureMatrix matrix = *train::extract_features(problems);
  const std::vector<train::Split> splits = {{{0, 1}, {2, 3}}};
  const auto peers = ask_peers({problems, matrix, splits, "no-such-python"});
  ASSERT_TRUE(peers.ok());
  ASSERT_EQ(peers->size(), 3u);
  for (const auto& [name, peer] : *peers) {
    EXPECT_THAT(peer.missing, HasSubstr("no-such-python")) << name;
    EXPECT_TRUE(peer.orders.empty());
  }
}

TEST(Peers, RankOnlyWhatTheyWereAsked) {
  const std::vector<train::TimedProblem> problems = train::generated_timings(4, 1);
  Peer peer;
  peer.orders[2] = {3, 1, 0};
  const train::Ranker ranker = rank_by(peer, problems);
  EXPECT_EQ(*ranker(problems[2]), (std::vector<size_t>{3, 1, 0}));
  EXPECT_EQ(ranker(problems[1]).status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace triode::eval_tool
