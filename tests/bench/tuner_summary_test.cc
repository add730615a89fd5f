// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/core/status_matchers.h"
#include "tools/bench/tuner_json.h"
#include "tools/bench/tuner_table.h"

namespace triode::bench {
namespace {

using Json = nlohmann::json;
using ::testing::_;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;

// A program whose calls take so many times as long as the library's, in every round.
PairedShape pair(double slowdown, bool is_ours = true) {
  PairedShape shape;
  shape.problem = "mm f32 5x6x7 nn";
  shape.is_ours = is_ours;
  shape.vendor_ns = std::vector<double>(21, 100);
  shape.program_ns = std::vector<double>(21, 100 * slowdown);
  return shape;
}

TEST(TunerSummary, IsEmptyWhereNothingWasMeasured) {
  const TunerSummary summary = summarize(TunerResults{});
  EXPECT_FALSE(summary.speedup_geomean || summary.share_slower_2pct || summary.p99_while_tuning ||
               summary.first_call_added_us_p99 || summary.seconds_to_90pct ||
               summary.trials_per_problem);
}

TEST(PairSummary, IsSlowerOnlyBeyondTheMargin) {
  EXPECT_FALSE(summarize(pair(1.019)).is_slower);
  EXPECT_TRUE(summarize(pair(1.021)).is_slower);
}

TEST(PairSummary, IsNotSlowerWhereItIsNotSure) {
  PairedShape shape = pair(1.05);
  for (std::size_t i = 0; i < 8; ++i) shape.program_ns[i] = 99;
  EXPECT_FALSE(summarize(shape).is_slower);
  EXPECT_THAT(summarize(shape).speedup.median, DoubleNear(1 / 1.05, 1e-9));
}

TEST(TunerSummary, CountsEveryLibrary) {
  TunerResults results;
  results.vendors.resize(2);
  results.vendors[0].shapes = {pair(0.5), pair(0.125)};
  results.vendors[1].shapes = {pair(1, false), pair(1.1)};
  const TunerSummary summary = summarize(results);
  EXPECT_THAT(*summary.speedup_geomean, DoubleNear(4, 1e-9));
  EXPECT_THAT(*summary.share_slower_2pct, DoubleNear(0.25, 1e-9));
  EXPECT_EQ(summary.vendors[1].share_planned, 0.5);
  EXPECT_EQ(*summary.vendors[0].share_slower, 0);
}

TEST(TunerSummary, TellsWhatAFirstCallAddsFromWhatCallsDifferBy) {
  TunerResults results;
  results.first_calls = FirstCalls{{1000, 1000}, {1100, 1100}, {3100, 4100}};
  const TunerSummary summary = summarize(results);
  EXPECT_THAT(*summary.first_call_added_us_p99, DoubleNear(3, 1e-9));
  EXPECT_THAT(*summary.first_call_added_us_median, DoubleNear(2.5, 1e-9));
  EXPECT_THAT(*summary.first_call_noise_us_p99, DoubleNear(0.1, 1e-9));
}

TEST(TunerSummary, PutsTrialsBesideTheExhaustiveCount) {
  TunerResults results;
  results.vendors.resize(1);
  results.vendors[0].effort.searches = 4;
  results.vendors[0].effort.trials = 100;
  results.space_sizes = {10, 5000, 7000};
  const TunerSummary summary = summarize(results);
  EXPECT_EQ(*summary.trials_per_problem, 25);
  EXPECT_EQ(*summary.exhaustive_per_problem, 5000);
}

TEST(TunerJson, EndsInASummaryWithEveryFigureAndKeepsTheSamples) {
  TunerResults results;
  results.vendors.resize(1);
  results.vendors[0].vendor.name = "openblas";
  results.vendors[0].shapes = {pair(0.5)};
  results.windows = {WindowFigures{}, WindowFigures{}};
  const auto json = nlohmann::ordered_json::parse(tuner_json(results, summarize(results)));
  EXPECT_EQ(json.items().begin().key(), "tool");
  EXPECT_EQ(std::prev(json.end()).key(), "summary");
  for (const char* const name :
       {"speedup_geomean", "share_slower_2pct", "throughput_while_tuning", "p99_while_tuning",
        "first_call_added_us_p99", "seconds_to_90pct"}) {
    EXPECT_TRUE(json["summary"].contains(name)) << name;
  }
  EXPECT_EQ(json["summary"]["speedup_geomean"], 2.0);
  EXPECT_EQ(json["summary"]["vendors"]["openblas"]["speedup_geomean"], 2.0);
  EXPECT_TRUE(json["summary"]["seconds_to_90pct"].is_null());
  EXPECT_EQ(json["vendors"][0]["shapes"][0]["vendor_ns"].size(), 21u);
  EXPECT_EQ(json["windows"].size(), 2u);
}

TEST(TunerJson, WhatTheCallingProgramWritesIsRead) {
  const std::vector<PairedShape> pairs = {pair(0.5), pair(2, false)};
  const auto again = read_pairs(to_json_text(pairs)).take();
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1].program_ns, pairs[1].program_ns);
  EXPECT_EQ(again[1].problem, pairs[1].problem);
  EXPECT_FALSE(again[1].is_ours);
  const auto rounds = read_rounds(to_json_text({ConvergenceRound{1.5, 2, 3}})).take();
  EXPECT_EQ(rounds.at(0).seconds, 1.5);
  EXPECT_EQ(rounds.at(0).program_ns, 3);
  EXPECT_EQ(read_first_calls(to_json_text(FirstCalls{{1}, {2}, {3}})).take().first_ns[0], 3);
}

TEST(TunerJson, ADamagedFileIsAnError) {
  EXPECT_THAT(read_pairs(""), FailsWith(StatusCode::kCorrupt, _));
  EXPECT_THAT(read_pairs("[{}]"), FailsWith(StatusCode::kCorrupt, HasSubstr("problem")));
  EXPECT_THAT(read_rounds("[[1, 2]]"), FailsWith(StatusCode::kCorrupt, _));
  EXPECT_THAT(read_first_calls("[]"), FailsWith(StatusCode::kCorrupt, _));
}

TEST(TunerTable, NamesAimsAndTheShapesThatGotSlower) {
  TunerResults results;
  results.vendors.resize(1);
  results.vendors[0].vendor.name = "openblas";
  results.vendors[0].shapes = {pair(1.5)};
  const std::string text = tuner_table(results, summarize(results));
  EXPECT_THAT(text, HasSubstr("aim: 1.25"));
  EXPECT_THAT(text, HasSubstr("slower: mm f32 5x6x7 nn"));
  EXPECT_THAT(text, Not(HasSubstr("throughput")));
}

}  // namespace
}  // namespace triode::bench
