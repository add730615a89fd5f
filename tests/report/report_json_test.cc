// SPDX-License-Identifier: Apache-2.0
#include "tools/report/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace triode::report_tool {
namespace {

TrialFact trial(const std::string& config, double median_ns, uint64_t number) {
  TrialFact fact;
  fact.config = config;
  fact.median_ns = median_ns;
  fact.number = number;
  fact.when_unix_s = 1000 + static_cast<int64_t>(number);
  return fact;
}

ProblemFact problem(const std::string& text, double vendor_ns, double plan_ns) {
  ProblemFact fact;
  fact.device = "cpu|avx2|2|1|2|3";
  fact.text = text;
  fact.problem = parse_problem(text).take();
  fact.trials = {trial("x=1", plan_ns * 2, 1), trial("x=2", plan_ns, 2)};
  if (vendor_ns > 0) {
    fact.plan = StoredPlan{.problem = *fact.problem,
                           .config = "x=2",
                           .vendor = "lib sgemm",
                           .code_digest = 1,
                           .speedup = vendor_ns / plan_ns,
                           .vendor_ns = vendor_ns,
                           .plan_ns = plan_ns};
    fact.vendor_ns = vendor_ns;
  }
  return fact;
}

ReportFacts two_problems() {
  ReportFacts facts;
  facts.cache = "/cache";
  facts.problems = {problem("mm f32 8x8x8 nn", 0, 50), problem("mm f32 64x64x64 nn", 400, 100)};
  return facts;
}

TEST(ReportJson, TheHeadlineCountsTunedProblemsAlone) {
  const auto json = report_json(two_problems(), {}, 0);
  EXPECT_EQ(json["headline"]["problems"], 2);
  EXPECT_EQ(json["headline"]["tuned"], 1);
  EXPECT_DOUBLE_EQ(json["headline"]["geomean_speedup"], 4);
  EXPECT_EQ(json["headline"]["trials"], 4);
}

TEST(ReportJson, WhatSavesMostComesFirst) {
  const auto json = report_json(two_problems(), {}, 0);
  EXPECT_EQ(json["problems"][0]["problem"], "mm f32 64x64x64 nn");
  EXPECT_EQ(json["problems"][0]["state"], "tuned");
  EXPECT_EQ(json["problems"][1]["state"], "vendor");
  EXPECT_EQ(json["trials"].size(), 2u);
}

TEST(ReportJson, SaysWhatWasLeftOut) {
  const auto json = report_json(two_problems(), {.problems = 1, .trials = 1}, 0);
  EXPECT_EQ(json["problems"].size(), 1u);
  EXPECT_EQ(json["trials"][0].size(), 1u);
  EXPECT_EQ(json["trials"][0][0][0], "x=2");  // the fastest
  EXPECT_EQ(json["left_out"]["problems"], 1);
  EXPECT_EQ(json["left_out"]["trials"], 3);
  EXPECT_EQ(json["headline"]["trials"], 4);
}

TEST(ReportJson, AProblemWhosePlanWasWithdrawnSaysSo) {
  ReportFacts facts = two_problems();
  facts.events = {{1, "plan", {{"problem", "mm f32 8x8x8 nn"}}},
                  {2, "withdrawn", {{"problem", "mm f32 8x8x8 nn"}}}};
  facts.events.push_back({3, "search", {{"problem", "mm f32 8x8x8 nn"}}});
  EXPECT_EQ(report_json(facts, {}, 0)["problems"][1]["state"], "withdrawn");
}

TEST(ReportJson, AProblemThatKeptTheVendorAfterAWithdrawalIsTheVendors) {
  ReportFacts facts = two_problems();
  facts.events = {{1, "withdrawn", {{"problem", "mm f32 8x8x8 nn"}}},
                  {2, "vendor-stays", {{"problem", "mm f32 8x8x8 nn"}}}};
  EXPECT_EQ(report_json(facts, {}, 0)["problems"][1]["state"], "vendor");
}

TEST(ReportJson, CallsAreSummedWhereTheyAreKnown) {
  ReportFacts facts = two_problems();
  facts.problems[0].calls = {.count = 3, .total_ns = 30, .saved_ns = 0};
  facts.problems[1].calls = {.count = 2, .total_ns = 200, .saved_ns = 600};
  const auto json = report_json(facts, {}, 0);
  EXPECT_EQ(json["headline"]["calls"], 5);
  EXPECT_DOUBLE_EQ(json["headline"]["calls_ns"], 230);
  EXPECT_DOUBLE_EQ(json["headline"]["calls_saved_ns"], 600);
  EXPECT_EQ(json["problems"][0]["calls"], 2);
}

TEST(ReportJson, TheTimelineCountsEveryOutcome) {
  ReportFacts facts = two_problems();
  facts.problems[0].trials[0].outcome = OutcomeKind::kCrashed;
  const auto timeline = report_json(facts, {}, 0)["timeline"];
  EXPECT_EQ(timeline["start_unix_s"], 1001);
  EXPECT_EQ(timeline["outcomes"]["crashed"], nlohmann::json({1, 0}));
  EXPECT_EQ(timeline["outcomes"]["ok"], nlohmann::json({1, 2}));
}

TEST(ReportJson, ComparesWhatBothKnow) {
  ReportFacts other = two_problems();
  other.problems[1].trials[1].median_ns = 50;
  other.problems[0].text = "mm f32 9x9x9 nn";
  const auto json = comparison_json(two_problems(), other, 0);
  EXPECT_EQ(json["both"], 1);
  EXPECT_EQ(json["only_a"], 1);
  EXPECT_EQ(json["only_b"], 1);
  EXPECT_DOUBLE_EQ(json["geomean_ratio"], 2);
}

TEST(ReportJson, AnEmptyCacheGivesAnEmptyReport) {
  const auto json = report_json({}, {}, 0);
  EXPECT_EQ(json["headline"]["problems"], 0);
  EXPECT_TRUE(json["problems"].empty());
  EXPECT_EQ(json["timeline"]["step_s"], 0);
}

}  // namespace
}  // namespace triode::report_tool
