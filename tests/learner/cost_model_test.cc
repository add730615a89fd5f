// SPDX-License-Identifier: Apache-2.0
#include "learner/model/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/random.h"
#include "learner/model/feature_table.h"
#include "tests/core/status_matchers.h"
#include "tests/learner/small_model.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

// The net as its definition says, in double, without any of the code that makes it fast.
double plain_value(const Snapshot& snapshot, const Net& net, const RankingTask& task,
                   const Config& config) {
  const Result<FeatureExtractor> extractor = FeatureExtractor::make(task);
  std::vector<float> raw(feature_table(DeviceKind::kGpu).size());
  extractor->extract({&config, 1}, raw.data(), 1);
  const Standardisation& s = snapshot.standardisation;
  std::vector<double> x;
  for (const uint16_t f : net.inputs) {
    x.push_back(
        std::clamp<double>((double{raw[f]} - s.mean[f]) * s.inverse_std[f], -s.clip, s.clip));
  }
  for (size_t l = 0; l < net.layers.size(); ++l) {
    const DenseLayer& layer = net.layers[l];
    std::vector<double> y(layer.bias.begin(), layer.bias.end());
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += layer.weights[o * x.size() + i] * x[i];
      if (l + 1 == net.layers.size()) continue;
      y[o] =
          net.activation == Activation::kRelu ? std::max(0.0, y[o]) : y[o] / (1 + std::exp(-y[o]));
    }
    x = y;
  }
  return net.skip_feature < 0 ? x[0] : x[0] + double{net.skip_weight} * raw[net.skip_feature];
}

class RankedTask : public ::testing::Test {
 protected:
  Ranking rank(const Snapshot& snapshot, const std::vector<Config>& listed) const {
    Result<Ranking> ranking = model_of(snapshot)->rank(task, listed);
    EXPECT_TRUE(ranking.ok()) << ranking.status().to_string();
    return std::move(ranking).take();
  }
  Problem problem = Problem::mm(DType::kF32, 1000, 500, 2000);
  RankingTask task = task_of(problem);
  std::vector<Config> configs = all_configs();
};

TEST_F(RankedTask, EvaluatesEachNetAsItIsDefined) {
  Snapshot snapshot = small_snapshot(2);
  snapshot.nets[1].activation = Activation::kSilu;
  snapshot.nets[1].skip_feature =
      static_cast<int32_t>(*feature_table(DeviceKind::kGpu).position_of("time_analytical"));
  snapshot.nets[1].skip_weight = 0.7f;
  snapshot.nets[1].inputs.erase(snapshot.nets[1].inputs.begin() + 30);  // a gap
  DenseLayer& first = snapshot.nets[1].layers[0];
  first.inputs -= 1;
  first.weights.resize(static_cast<size_t>(first.inputs) * first.outputs);
  const auto model = model_of(snapshot);
  for (size_t net = 0; net < 2; ++net) {
    const Result<std::vector<float>> values = model->evaluate(task, configs, net);
    ASSERT_TRUE(values.ok());
    for (size_t i = 0; i < configs.size(); i += 17) {
      EXPECT_NEAR((*values)[i], plain_value(snapshot, snapshot.nets[net], task, configs[i]), 1e-5);
    }
  }
}

TEST_F(RankedTask, SortsByTheNetsValue) {
  const Snapshot snapshot = small_snapshot();
  const Ranking ranking = rank(snapshot, configs);
  ASSERT_GE(ranking.candidates.size(), 64u);
  double last = -HUGE_VAL;
  for (size_t i = 0; i < 64; ++i) {
    const Config& config = configs[ranking.candidates[i].index];
    const double value = plain_value(snapshot, snapshot.nets[0], task, config);
    EXPECT_GE(value, last - 1e-5);
    last = value;
  }
}

TEST_F(RankedTask, GivesTreesTheirShare) {
  Snapshot snapshot = small_snapshot(2);
  const Ranking by_nets = rank(snapshot, {configs.begin(), configs.begin() + 40});
  const size_t warps = *feature_table(DeviceKind::kGpu).position_of("warps");
  TreeEnsemble& trees = snapshot.trees;
  trees.depth = 1;
  trees.share = 0.25f;
  trees.feature = {static_cast<uint16_t>(warps)};
  const Standardisation& s = snapshot.standardisation;
  trees.threshold = {(1.5f - s.mean[warps]) * s.inverse_std[warps]};  // two warps, or more
  trees.leaf = {3, -5};
  const Ranking blended = rank(snapshot, {configs.begin(), configs.begin() + 40});
  ASSERT_EQ(blended.candidates.size(), by_nets.candidates.size());
  for (const Candidate& candidate : blended.candidates) {
    const auto same = std::find_if(by_nets.candidates.begin(), by_nets.candidates.end(),
                                   [&](const Candidate& c) { return c.index == candidate.index; });
    ASSERT_NE(same, by_nets.candidates.end());
    const bool above = configs[candidate.index][4] > 2;
    EXPECT_NEAR(candidate.score, 0.75 * same->score + 0.25 * (above ? -5 : 3), 1e-5);
  }
}

TEST_F(RankedTask, GivesEveryConfigItsPlaceHoweverTheyAreListed) {
  const Ranking straight = rank(small_snapshot(3), configs);
  std::vector<Config> turned(configs.rbegin(), configs.rend());
  std::rotate(turned.begin(), turned.begin() + 101, turned.end());
  const Ranking other = rank(small_snapshot(3), turned);
  ASSERT_EQ(straight.candidates.size(), other.candidates.size());
  for (size_t i = 0; i < straight.candidates.size(); ++i) {
    EXPECT_EQ(configs[straight.candidates[i].index], turned[other.candidates[i].index]);
    EXPECT_NEAR(straight.candidates[i].score, other.candidates[i].score, 1e-5);
  }
}

TEST_F(RankedTask, IsTheSameEveryTime) {
  const Ranking first = rank(small_snapshot(3), configs);
  const Ranking second = rank(small_snapshot(3), configs);
  for (size_t i = 0; i < first.candidates.size(); ++i) {
    EXPECT_EQ(first.candidates[i].index, second.candidates[i].index);
    EXPECT_EQ(first.candidates[i].score, second.candidates[i].score);
    EXPECT_EQ(first.candidates[i].stddev, second.candidates[i].stddev);
  }
}

TEST_F(RankedTask, LeavesOutWhatCannotRun) {
  const Ranking ranking = rank(small_snapshot(), configs);
  EXPECT_GT(ranking.unfit, 0u);
  const Result<FeatureExtractor> extractor = FeatureExtractor::make(task);
  for (const Candidate& candidate : ranking.candidates) {
    EXPECT_EQ(extractor->fit(configs[candidate.index]), Fit::kFits);
  }
}

TEST_F(RankedTask, PutsConfigsLastOfWhichOverflowSaysNothing) {
  Snapshot snapshot = small_snapshot(2);
  snapshot.shortlist = 8;
  for (Net& net : snapshot.nets) {
    for (float& weight : net.layers.front().weights) weight *= 1e38f;
    for (float& weight : net.layers.back().weights) weight = 1e38f;
  }
  ASSERT_TRUE(snapshot.validate().ok());
  const Ranking ranking = rank(snapshot, configs);
  std::set<uint32_t> listed;
  for (const Candidate& candidate : ranking.candidates) {
    EXPECT_TRUE(std::isfinite(candidate.score));
    EXPECT_FALSE(std::isnan(candidate.stddev));
    listed.insert(candidate.index);
  }
  EXPECT_EQ(listed.size(), ranking.candidates.size());
}

TEST_F(RankedTask, KeepsSomeOfEveryMechanism) {
  Snapshot snapshot = small_snapshot();
  snapshot.shortlist = 1;
  std::set<int> mechanisms;
  for (const Candidate& candidate : rank(snapshot, configs).candidates) {
    mechanisms.insert(candidate.mechanism);
  }
  EXPECT_EQ(mechanisms, (std::set<int>{0, 1}));
}

TEST_F(RankedTask, IsLessSureWhereItsNetsDisagree) {
  Snapshot alike = small_snapshot(1);
  alike.nets.push_back(alike.nets[0]);
  const Ranking agreed = rank(alike, configs);
  const Ranking disputed = rank(small_snapshot(2), configs);
  double agreed_sum = 0, disputed_sum = 0;
  for (const Candidate& candidate : agreed.candidates) agreed_sum += candidate.stddev;
  for (const Candidate& candidate : disputed.candidates) disputed_sum += candidate.stddev;
  EXPECT_GT(disputed_sum, agreed_sum);
}

TEST_F(RankedTask, FollowsWhatWasLearned) {
  Snapshot snapshot = small_snapshot();
  // Two kinds of blocks, and a correction by e against one: it has to fall behind.
  const Problem on_hopper = Problem::mm(DType::kF32, 1000, 500, 2000);
  const RankingTask hopper_task = task_of(on_hopper, h100());
  const std::vector<Config> pair = {triton_config(64, 64, 32, 3, 4),
                                    triton_config(64, 64, 32, 3, 2)};
  snapshot.online.mean.back() = 100;  // wg: warpgroup blocks are slow
  EXPECT_EQ(model_of(snapshot)->rank(hopper_task, pair)->candidates.front().index, 1u);
  snapshot.online.mean.back() = -100;
  EXPECT_EQ(model_of(snapshot)->rank(hopper_task, pair)->candidates.front().index, 0u);
}

TEST_F(RankedTask, PredictsTimesAndTheVendors) {
  Snapshot snapshot = small_snapshot();
  snapshot.nets.push_back(drawn_net(NetRole::kLevel, 5));
  snapshot.nets.push_back(drawn_net(NetRole::kVendor, 6));
  const auto model = model_of(snapshot);
  const double roof = FeatureExtractor::make(task)->roof_s();
  const Result<std::vector<double>> level = model->level(task, std::span(configs).first(2));
  ASSERT_TRUE(level.ok());
  EXPECT_NEAR(std::log((*level)[1] / roof),
              plain_value(snapshot, snapshot.nets[1], task, configs[1]), 1e-5);
  const Result<Ranking> ranking = model->rank(task, configs);
  EXPECT_NEAR(std::log(*ranking->vendor_s / roof),
              plain_value(snapshot, snapshot.nets[2], task, configs[0]), 1e-5);
}

TEST_F(RankedTask, KeepsFailureApartFromTime) {
  Snapshot snapshot = small_snapshot();
  const Ranking before = rank(snapshot, configs);
  snapshot.nets.push_back(drawn_net(NetRole::kFailure, 9));
  const Ranking after = rank(snapshot, configs);
  for (size_t i = 0; i < before.candidates.size(); ++i) {
    EXPECT_EQ(before.candidates[i].score, after.candidates[i].score);
    EXPECT_GT(after.candidates[i].failure_probability, 0);
    EXPECT_LT(after.candidates[i].failure_probability, 1);
  }
}

TEST_F(RankedTask, WithoutALevelNetKnowsNoTimes) {
  EXPECT_THAT(model_of(small_snapshot())->level(task, configs),
              FailsWith(StatusCode::kUnsupported, HasSubstr("absolute")));
}

TEST_F(RankedTask, OfNothingIsEmpty) {
  EXPECT_TRUE(rank(small_snapshot(), {}).candidates.empty());
}

TEST_F(RankedTask, OfAKernelThatWasNotTrainedIsUnsupported) {
  const RankingTask other{problem, triton_like_space(), a100(), KernelFamily::kNvrtc};
  EXPECT_THAT(model_of(small_snapshot())->rank(other, configs),
              FailsWith(StatusCode::kUnsupported, HasSubstr("nvrtc")));
}

TEST_F(RankedTask, OnACpuIsNotForAGpuModel) {
  DeviceTraits cpu;
  cpu.name = "some cpu";
  const RankingTask other{problem, triton_like_space(), cpu, KernelFamily::kX86};
  EXPECT_THAT(model_of(small_snapshot())->rank(other, configs),
              FailsWith(StatusCode::kUnsupported, HasSubstr("some cpu")));
}

TEST_F(RankedTask, SaysWhatItIsSureOf) {
  EXPECT_EQ(rank(small_snapshot(), configs).support.support, Support::kInSupport);
  const auto model = model_of(small_snapshot());
  Problem addmm = problem;
  addmm.op = Op::kAddmm;
  addmm.epilogue = Epilogue::kBias;
  EXPECT_EQ(model->rank(task_of(addmm), configs)->support.support, Support::kExtrapolated);
  EXPECT_EQ(model->rank(task_of(problem, h100()), configs)->support.support,
            Support::kExtrapolated);
  const Problem huge = Problem::mm(DType::kF32, 1 << 18, 500, 2000);
  EXPECT_THAT(model->rank(task_of(huge), configs)->support.reason, HasSubstr("log2_m"));
}

}  // namespace
}  // namespace triode
