// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/tuner/one_tuner.h"

namespace triode::tuner {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;

// What the tuner's thread did in each turn, on a clock that stands still.
class TunerRunTest : public OneTuner {
 protected:
  void run(size_t turns) {
    run_tuner(*tuner_, {.pacer = pacer_,
                        .should_stop = [this, turns] { return turns_.size() >= turns; },
                        .sleep = [this](nanoseconds) { has_slept_ = true; },
                        .after_turn = [this](bool has_searched) { note(has_searched); }});
  }
  void note(bool has_searched) {
    const bool has_reflected = ranker_.reflections > reflections_;
    turns_.emplace_back(has_searched ? "searched" : has_reflected ? "reflected" : "idle");
    EXPECT_EQ(has_slept_, turns_.back() == "idle");
    has_slept_ = false;
    reflections_ = ranker_.reflections;
    if (on_turn) on_turn();
  }

  std::function<void()> on_turn;
  std::vector<std::string> turns_;

 private:
  MachineLoad load_{(folder_.path() / "no stat").string()};
  Pacer pacer_{clock_, load_, [] { return nanoseconds(0); }, {}, [](nanoseconds) {}};
  int reflections_ = 0;
  bool has_slept_ = false;
};

TEST_F(TunerRunTest, ReflectsWhileNobodyWaitsAndThenSleeps) {
  ranker_.to_reflect = 2;
  run(4);
  EXPECT_THAT(turns_, ElementsAre("reflected", "reflected", "idle", "idle"));
}

TEST_F(TunerRunTest, SearchesBeforeItReflects) {
  join(1);
  report(1, 64);
  ranker_.to_reflect = 1;
  run(3);
  EXPECT_THAT(turns_, ElementsAre("searched", "reflected", "idle"));
}

TEST_F(TunerRunTest, CallThatComesMeanwhileWaitsForOneSliceAlone) {
  join(1);
  ranker_.to_reflect = 3;
  on_turn = [this] {
    if (turns_.size() == 1) report(1, 64);
  };
  run(4);
  EXPECT_THAT(turns_, ElementsAre("reflected", "searched", "reflected", "reflected"));
}

TEST_F(TunerRunTest, DoesNothingWhereItShouldStopAlready) {
  ranker_.to_reflect = 1;
  run(0);
  EXPECT_EQ(ranker_.reflections, 0);
}

}  // namespace
}  // namespace triode::tuner
