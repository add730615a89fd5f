// SPDX-License-Identifier: Apache-2.0
#include "learner/model/replay_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "tests/learner/small_model.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

HeldBackProblem timed(int64_t m, int64_t n, int64_t k, const DeviceTraits& device = a100()) {
  HeldBackProblem out;
  out.problem = Problem::mm(DType::kF16, m, n, k);
  out.space = std::make_shared<const Space>(triton_like_space());
  out.device = std::make_shared<const DeviceTraits>(device);
  out.family = KernelFamily::kInductor;
  const double roof =
      FeatureExtractor::make({out.problem, *out.space, *out.device, out.family})->roof_s();
  for (const int32_t warps : {2, 4, 8}) {
    out.configs.push_back(triton_config(64, 64, 32, 3, warps));
    out.seconds.push_back(roof * (1 + warps));
  }
  return out;
}

size_t count_of(std::span<const HeldBackProblem> problems, const std::string& device) {
  return static_cast<size_t>(
      std::count_if(problems.begin(), problems.end(),
                    [&](const HeldBackProblem& p) { return p.device->name == device; }));
}

TEST(ReplayBuffer, RefusesAndCountsTimingsThatCannotBeTrue) {
  for (const double bad : {std::nan(""), HUGE_VAL, 0.0, -1e-5, 1e-15, 1e6}) {
    ReplayBuffer buffer({});
    HeldBackProblem one = timed(512, 512, 512);
    one.seconds[1] = bad;
    const Result<LearnReport> report = buffer.add(one);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->used, 2u) << bad;
    ASSERT_EQ(report->refused.size(), 1u) << bad;
    EXPECT_THAT(report->refused[0], HasSubstr("num_warps=4"));
    EXPECT_EQ(buffer.counts().refused(), 1u);
    const auto kept = buffer.replayed().empty() ? buffer.held_back() : buffer.replayed();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].configs.size(), 2u);
    EXPECT_EQ(kept[0].configs[1], triton_config(64, 64, 32, 3, 8));
  }
}

TEST(ReplayBuffer, KeepsNothingOfAProblemWithOneTimeLeft) {
  ReplayBuffer buffer({});
  HeldBackProblem one = timed(512, 512, 512);
  one.seconds[0] = one.seconds[1] = 0;
  EXPECT_EQ(buffer.add(one)->used, 0u);
  EXPECT_TRUE(buffer.replayed().empty());
  EXPECT_TRUE(buffer.held_back().empty());
}

TEST(ReplayBuffer, RefusesListsThatDoNotFit) {
  ReplayBuffer buffer({});
  HeldBackProblem one = timed(512, 512, 512);
  one.seconds.pop_back();
  EXPECT_EQ(buffer.add(one).status().code(), StatusCode::kInvalidArgument);
  HeldBackProblem lost = timed(512, 512, 512);
  lost.device = nullptr;
  EXPECT_EQ(buffer.add(lost).status().code(), StatusCode::kInvalidArgument);
}

TEST(ReplayBuffer, PutsTransposesAndOtherDevicesOnTheSameSide) {
  ReplayBuffer buffer({});
  for (int64_t m = 64; m < 64 * 40; m += 64) {
    const size_t taught = buffer.replayed().size();
    const size_t judged = buffer.held_back().size();
    ASSERT_TRUE(buffer.add(timed(m, 100, 512)).ok());
    ASSERT_TRUE(buffer.add(timed(512, m, 100)).ok());
    ASSERT_TRUE(buffer.add(timed(m, 100, 512, h100())).ok());
    EXPECT_TRUE(buffer.replayed().size() == taught + 3 || buffer.held_back().size() == judged + 3);
  }
  EXPECT_GT(buffer.held_back().size(), 9u);
  EXPECT_GT(buffer.replayed().size(), buffer.held_back().size());
}

TEST(ReplayBuffer, ReplacesWhatItKnewOfAProblem) {
  ReplayBuffer buffer({});
  ASSERT_TRUE(buffer.add(timed(512, 512, 512)).ok());
  HeldBackProblem more = timed(512, 512, 512);
  more.configs.push_back(triton_config(128, 64, 32, 3, 4));
  more.seconds.push_back(more.seconds[0]);
  ASSERT_TRUE(buffer.add(more).ok());
  ASSERT_EQ(buffer.replayed().size() + buffer.held_back().size(), 1u);
  const auto kept = buffer.replayed().empty() ? buffer.held_back() : buffer.replayed();
  EXPECT_EQ(kept[0].configs.size(), 4u);
}

TEST(ReplayBuffer, DoesNotLetANewDevicePushOutAnOldOne) {
  ReplayBuffer buffer({.most_problems = 20, .held_back_one_in = 4, .seed = 1});
  for (int64_t i = 1; i <= 12; ++i) ASSERT_TRUE(buffer.add(timed(64 * i, 192, 320)).ok());
  const size_t old = count_of(buffer.replayed(), "a100");
  ASSERT_GT(old, 4u);
  for (int64_t i = 1; i <= 300; ++i) ASSERT_TRUE(buffer.add(timed(48 * i, 208, 336, h100())).ok());
  EXPECT_EQ(buffer.replayed().size(), 20u);
  EXPECT_GE(count_of(buffer.replayed(), "a100"), std::min<size_t>(old, 10));
}

TEST(Rehearsed, TimesAreWhatTheModelThinksOfTheOtherDevice) {
  const auto model = model_of(small_snapshot(2));
  const auto device = std::make_shared<const DeviceTraits>(h100());
  const Result<HeldBackProblem> out = rehearsed(*model, timed(512, 512, 512), device);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->device->name, "h100");
  ASSERT_EQ(out->seconds.size(), 3u);
  const std::vector<double> scores =
      *model->uncorrected_scores(task_of(out->problem, h100()), out->configs);
  EXPECT_NEAR(std::log(out->seconds[1] / out->seconds[0]), scores[1] - scores[0], 1e-9);
  ReplayBuffer buffer({});
  EXPECT_EQ(buffer.add(*out)->used, 3u);
}

}  // namespace
}  // namespace triode
