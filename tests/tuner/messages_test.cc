// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/core/status_matchers.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::HasSubstr;

SentPlan sample_plan() {
  return {"mm f32 5x6x7 nn",
          "mr=6 nr=16",
          "libblas.so 12ab cblas_sgemm",
          0xfedcba9876543210u,
          1.5,
          150,
          100};
}

Reports sample_reports() {
  Reports reports;
  for (int64_t id = 0; id < 3; ++id) {
    reports.reports.push_back({id, sample_call(16 + id), {10, 1e6, 0, 0}});
  }
  return reports;
}

TEST(Messages, ComeOutAsTheyWentIn) {
  const Reports sent = sample_reports();
  const Reports got = from_frame<Reports>(to_frame(sent)).value();
  ASSERT_EQ(got.reports.size(), 3u);
  EXPECT_EQ(got.reports[2].call, sent.reports[2].call);
  EXPECT_EQ(got.reports[2].id, 2);
  EXPECT_EQ(got.reports[2].use, sent.reports[2].use);
}

TEST(Messages, KeepNegativeAndLargeNumbers) {
  Verdict sent{-5, {sample_plan()}, "why"};
  const Verdict got = from_frame<Verdict>(to_frame(sent)).value();
  EXPECT_EQ(got.id, -5);
  EXPECT_EQ(got.plan.at(0).code_digest, 0xfedcba9876543210u);
}

TEST(Messages, EveryTruncationIsRefused) {
  const Frame whole = to_frame(sample_reports());
  for (size_t length = 0; length < whole.payload.size(); ++length) {
    Frame cut = whole;
    cut.payload.resize(length);
    ASSERT_FALSE(from_frame<Reports>(cut).ok()) << length;
  }
}

TEST(Messages, BytesLeftOverAreRefused) {
  Frame frame = to_frame(sample_reports());
  frame.payload += '\0';
  EXPECT_EQ(from_frame<Reports>(frame).status().code(), StatusCode::kCorrupt);
}

TEST(Messages, DamagedBytesNeverDoHarm) {
  const Frame whole = to_frame(sample_reports());
  Random random(7);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Frame damaged = whole;
    for (uint64_t i = 0; i <= random.below(4); ++i) {
      damaged.payload[random.below(damaged.payload.size())] = static_cast<char>(random.below(256));
    }
    if (!from_frame<Reports>(damaged).ok()) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Messages, ALengthBeyondTheBytesAllocatesNothing) {
  Frame frame{kProtocolVersion, static_cast<uint16_t>(Reports::kType), std::string(8, '\xff')};
  EXPECT_EQ(from_frame<Reports>(frame).status().code(), StatusCode::kCorrupt);
}

TEST(Messages, AnotherVersionIsUnsupportedWithBothNumbers) {
  Frame frame = to_frame(sample_reports());
  frame.version = 7;
  EXPECT_THAT(from_frame<Reports>(frame).status(),
              FailsWith(StatusCode::kUnsupported, HasSubstr("version 7")));
}

TEST(Messages, ARefusalIsReadWhateverItsVersion) {
  Frame frame = to_frame(Refusal{"too new"});
  frame.version = 7;
  EXPECT_EQ(from_frame<Refusal>(frame).value().reason, "too new");
}

TEST(Messages, AnotherTypeIsCorrupt) {
  EXPECT_EQ(from_frame<Verdict>(to_frame(sample_reports())).status().code(), StatusCode::kCorrupt);
}

TEST(Plans, ComeThroughHoweverManyThereAre) {
  Plans all{std::vector<SentPlan>(kMostElements + 1, sample_plan())};
  all.plans.back().config = "the last";
  size_t count = 0;
  bool has_more = true;
  std::string last;
  for (const Plans& sent : in_messages(all)) {
    EXPECT_TRUE(has_more);
    const Frame frame = to_frame(sent);
    EXPECT_LT(frame.payload.size(), kMostAnswerBytes);
    const Plans got = from_frame<Plans>(frame).value();
    count += got.plans.size();
    has_more = got.has_more;
    last = got.plans.back().config;
  }
  EXPECT_FALSE(has_more);
  EXPECT_EQ(count, kMostElements + 1);
  EXPECT_EQ(last, "the last");
}

TEST(Plans, AreOneMessageWhereThereAreNone) {
  const std::vector<Plans> messages = in_messages({});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_FALSE(messages[0].has_more);
}

TEST(SentPlan, IsTheStoredPlanAgain) {
  const StoredPlan stored = sample_plan().to_stored().value();
  EXPECT_EQ(SentPlan::from(stored).to_stored().value(), stored);
  EXPECT_EQ(stored.problem.k, 7);
}

TEST(SentPlan, RefusesWhatNoTunerSends) {
  SentPlan no_problem = sample_plan();
  no_problem.problem = "nonsense";
  SentPlan no_figure = sample_plan();
  no_figure.speedup = std::numeric_limits<double>::quiet_NaN();
  SentPlan two_lines = sample_plan();
  two_lines.config = "mr=6\nnr=16";
  for (const SentPlan& plan : {no_problem, no_figure, two_lines}) {
    EXPECT_EQ(plan.to_stored().status().code(), StatusCode::kCorrupt);
  }
}

}  // namespace
}  // namespace triode::tuner
