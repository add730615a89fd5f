// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/problem_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

using ::testing::SizeIs;

class ProblemBoardTest : public ::testing::Test {
 protected:
  void note(ClientId client, const std::string& name, double vendor_ns, double plan_ns = 0) {
    board_.note_use(client, name, {sample_call(16), sample_target()}, "problem " + name,
                    {1, vendor_ns, plan_ns > 0 ? 1u : 0u, plan_ns});
  }
  SentProblem first() const { return board_.costliest(1).at(0); }

  ProblemBoard board_{3};
};

TEST_F(ProblemBoardTest, ShowsTheCostliestFirstAndNoMoreThanAsked) {
  note(1, "a", 10);
  note(1, "b", 20, 20);
  note(1, "c", 30);
  const std::vector<SentProblem> shown = board_.costliest(2);
  ASSERT_THAT(shown, SizeIs(2));
  EXPECT_EQ(shown[0].problem, "problem b");
  EXPECT_EQ(shown[1].problem, "problem c");
  EXPECT_EQ(shown[0].state, ProblemState::kQueued);
  EXPECT_EQ(shown[0].vendor, sample_call(16).vendor());
}

TEST_F(ProblemBoardTest, AddsUpProgramsAndReplacesWhatOneSaidBefore) {
  note(1, "a", 10);
  note(1, "a", 15);
  note(2, "a", 100);
  EXPECT_EQ(first().use, (CallFigures{2, 115, 0, 0}));
  EXPECT_EQ(first().clients, 2u);
  EXPECT_EQ(board_.total_of(2).use.vendor_ns, 100);
  EXPECT_EQ(board_.total_of(2).problems, 1u);
}

TEST_F(ProblemBoardTest, KeepsTheFiguresOfAProgramThatHasEnded) {
  note(1, "a", 10);
  board_.leave(1);
  note(2, "a", 5);
  EXPECT_EQ(first().use.vendor_ns, 15);
  EXPECT_EQ(first().clients, 1u);
  EXPECT_EQ(board_.total_of(1).problems, 0u);
}

TEST_F(ProblemBoardTest, APlanAnswersAndThenTheVendorAgain) {
  note(1, "a", 10);
  StoredPlan plan;
  plan.config = "x=7";
  plan.speedup = 2;
  board_.set_plan("a", ProblemState::kTuned, plan);
  EXPECT_EQ(first().state, ProblemState::kTuned);
  EXPECT_EQ(first().config, "x=7");
  EXPECT_EQ(first().speedup, 2);
  board_.set_vendor("a", ProblemState::kWithdrawn, "slower");
  EXPECT_EQ(first().state, ProblemState::kWithdrawn);
  EXPECT_EQ(first().config, "");
  EXPECT_EQ(first().speedup, 0);
  EXPECT_EQ(first().remark, "slower");
}

TEST_F(ProblemBoardTest, MakesRoomByWhatNobodyUsesAnyMore) {
  note(1, "a", 10);
  note(2, "b", 1000);
  note(2, "c", 500);
  note(1, "d", 5);
  EXPECT_FALSE(board_.has("d")) << "all are in use";
  board_.leave(2);
  note(1, "d", 5);
  EXPECT_TRUE(board_.has("d"));
  EXPECT_FALSE(board_.has("c"));
  EXPECT_TRUE(board_.has("a"));
}

TEST_F(ProblemBoardTest, NotesNothingOfWhatIsNotThere) {
  board_.set_state("a", ProblemState::kTiming);
  board_.count_trial("a");
  board_.expect("a", 0.5);
  EXPECT_EQ(board_.size(), 0u);
}

}  // namespace
}  // namespace triode::tuner
