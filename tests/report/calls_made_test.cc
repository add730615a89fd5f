// SPDX-License-Identifier: Apache-2.0
#include "tools/report/calls_made.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace triode::report_tool {
namespace {

ReportFacts one_problem_on_two_devices() {
  ReportFacts facts;
  for (const std::string device : {"cpu|avx2|2|1|2|3", "cpu|avx2|8|1|2|3"}) {
    facts.problems.emplace_back();
    facts.problems.back().device = device;
    facts.problems.back().text = "mm f32 8x8x8 nn";
  }
  return facts;
}

tuner::SentProblem sent(const std::string& problem, const std::string& target) {
  tuner::SentProblem sent;
  sent.problem = problem;
  sent.target = target;
  sent.speedup = 3;
  sent.use = {.vendor_calls = 1, .vendor_ns = 30, .plan_calls = 4, .plan_ns = 40};
  return sent;
}

TEST(CallsMade, CountForTheProblemOfTheirDevice) {
  ReportFacts facts = one_problem_on_two_devices();
  add_calls(std::vector{sent("mm f32 8x8x8 nn", "cpu, 8 cores")}, facts);
  EXPECT_EQ(facts.problems[0].calls.count, 0u);
  EXPECT_EQ(facts.problems[1].calls.count, 5u);
  EXPECT_DOUBLE_EQ(facts.problems[1].calls.total_ns, 70);
  EXPECT_DOUBLE_EQ(facts.problems[1].calls.saved_ns, 80);
}

TEST(CallsMade, InFrontOfTwoLibrariesAddUp) {
  ReportFacts facts = one_problem_on_two_devices();
  const tuner::SentProblem call = sent("mm f32 8x8x8 nn", "cpu, 2 cores");
  add_calls(std::vector{call, call}, facts);
  EXPECT_EQ(facts.problems[0].calls.count, 10u);
}

TEST(CallsMade, OfUnknownProblemsArePassedOver) {
  ReportFacts facts = one_problem_on_two_devices();
  add_calls(std::vector{sent("mm f32 9x9x9 nn", "cpu, 2 cores")}, facts);
  EXPECT_EQ(facts.problems[0].calls.count, 0u);
}

}  // namespace
}  // namespace triode::report_tool
