// SPDX-License-Identifier: Apache-2.0
// A clock that jumps while a call is searched for: the process was stopped, or the machine slept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/tuner/pacer.h"
#include "runtime/tuner/tuner.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using std::chrono::nanoseconds;
using ::testing::SizeIs;

class ClockJump : public ::testing::TestWithParam<nanoseconds> {
 protected:
  // A machine on which all is busy, so that every rest is as long as it can be.
  FakeClock clock_;
  TemporaryFolder folder_;
  MachineLoad load_{(folder_.path() / "nothing").string()};
  nanoseconds rested_{};
  Pacer pacer_{clock_,
               load_,
               [] { return nanoseconds(0); },
               {},
               [this](nanoseconds time) {
                 rested_ += time;
                 clock_.advance(time);
               }};
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  std::unique_ptr<TrialLog> log_ = no_stored_trials();
  PlanBook book_{(folder_.path() / "host.plans").string()};
  EventLog events_{""};
  std::vector<Verdict> verdicts_;
  Tuner tuner_{
      {.ranker = ranker_,
       .runner = runner_,
       .log = *log_,
       .book = book_,
       .events = events_,
       .clock = pacer_,
       .space_of = [](const Target&, const Problem&) -> Result<Space> { return model_space(); },
       .deliver = [this](ClientId, const Verdict& verdict) { verdicts_.push_back(verdict); }},
      {}};
};

TEST_P(ClockJump, NeitherEndsTheSearchNorMakesItRest) {
  tuner_.join(1, Hello{"1", 1, "program", sample_target()});
  tuner_.report(1, Reports{{ProblemReport{16, sample_call(16), {10, 1e7, 0, 0}}}});
  pacer_.begin();
  bool has_jumped = false;
  EXPECT_TRUE(tuner_.step([&] {
    if (runner_.tried.size() == 5 && !std::exchange(has_jumped, true)) clock_.advance(GetParam());
    pacer_.breathe();
    return false;
  }));
  ASSERT_THAT(verdicts_, SizeIs(1));
  ASSERT_THAT(verdicts_[0].plan, SizeIs(1));
  EXPECT_EQ(verdicts_[0].plan[0].config, "x=7 y=3");
  EXPECT_LT(rested_, std::chrono::minutes(1));
}

INSTANTIATE_TEST_SUITE_P(Tuner, ClockJump,
                         ::testing::Values(std::chrono::minutes(2), std::chrono::hours(24 * 365)));

}  // namespace
}  // namespace triode::tuner
