// SPDX-License-Identifier: Apache-2.0
#include "core/outcome.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/core/status_matchers.h"

namespace triode {
namespace {

class EveryOutcome : public ::testing::TestWithParam<std::pair<OutcomeKind, std::string_view>> {};

TEST_P(EveryOutcome, HasItsName) {
  EXPECT_EQ(to_string(GetParam().first), GetParam().second);
}

TEST_P(EveryOutcome, ParsesBack) {
  EXPECT_EQ(parse_outcome_kind(GetParam().second).value(), GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(Outcome, EveryOutcome,
                         ::testing::Values(std::pair(OutcomeKind::kOk, "ok"),
                                           std::pair(OutcomeKind::kCompileFailed, "compile-failed"),
                                           std::pair(OutcomeKind::kLaunchFailed, "launch-failed"),
                                           std::pair(OutcomeKind::kWrongResult, "wrong-result"),
                                           std::pair(OutcomeKind::kTimedOut, "timed-out"),
                                           std::pair(OutcomeKind::kCrashed, "crashed"),
                                           std::pair(OutcomeKind::kOutOfMemory, "out-of-memory"),
                                           std::pair(OutcomeKind::kUnstable, "unstable")));

TEST(Outcome, OnlyOkIsOk) {
  EXPECT_TRUE(Outcome{}.ok());
  EXPECT_FALSE((Outcome{OutcomeKind::kUnstable, "spread 0.4"}).ok());
}

TEST(Outcome, OfAFailureIsOutOfMemoryWhicheverStepRanOut) {
  for (const OutcomeKind step : {OutcomeKind::kCompileFailed, OutcomeKind::kLaunchFailed}) {
    EXPECT_EQ(outcome_of_failure(resource_exhausted("no pages"), step),
              (Outcome{OutcomeKind::kOutOfMemory, "no pages"}));
    EXPECT_EQ(outcome_of_failure(unsupported("no such tile"), step),
              (Outcome{step, "no such tile"}));
  }
}

TEST(Outcome, UnknownNameListsTheOutcomes) {
  EXPECT_THAT(parse_outcome_kind("crash"),
              FailsWith(StatusCode::kInvalidArgument,
                        "\"crash\" is not an outcome; expected ok, compile-failed, launch-failed, "
                        "wrong-result, timed-out, crashed, out-of-memory or unstable"));
}

}  // namespace
}  // namespace triode
