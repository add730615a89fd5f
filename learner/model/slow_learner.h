// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/status.h"
#include "learner/model/online_learner.h"
#include "learner/model/replay_buffer.h"
#include "learner/model/replay_trainer.h"
#include "learner/model/shadow_gate.h"

namespace triode {

struct SlowLearnerOptions {
  ReplayBufferOptions buffer{};
  ReplayRecipe recipe{};
  GateOptions gate{};
  size_t steps = 200;            // of a round, before its candidate is judged
  size_t problems_between = 32;  // that must be new or timed anew before a round; less works more
};

// What a slice of slow learning came to.
struct SlowSlice {
  size_t steps = 0;                    // gradient steps that were taken
  std::optional<GateVerdict> verdict;  // if a candidate was judged; if it passed, it is in use
};

// Slow learning as a tuner runs it, beside an OnlineLearner and on the same thread: timings come
// in, idle time is used in slices, and now and then a better model comes out.
//
//   slow.add(<all that was timed of a problem>);         // after every search
//   while (<idle> && slow.has_work()) {
//     const SlowSlice slice = TRIODE_TRY(slow.run(learner, clock, 20ms));
//     if (slice.verdict && slice.verdict->passed) <store learner.snapshot()>;
//   }
//
// A round takes gradient steps on the model with what the learner has corrected so far, then judges
// the candidate on shapes that were held back. If it passes, the learner goes on with it; what it
// has corrected stays. Devices that the model was trained on and of which no timings came are
// rehearsed: the model that this began with is asked what it thinks of the same problems there, and
// no round may move a candidate away from that by more than the gate allows. Not thread-safe.
class SlowLearner {
 public:
  using Log = std::function<void(const std::string& line)>;

  // The model is the one that the learner began with. kInvalidArgument for a recipe that cannot
  // work.
  static Result<SlowLearner> make(std::shared_ptr<const CostModel> model,
                                  const SlowLearnerOptions& options, Log log);

  // All that was timed of a problem so far; replaces what was known of it. As ReplayBuffer::add.
  Result<LearnReport> add(HeldBackProblem timed);

  // Whether run() would do anything: a round is under way, or enough came in for one.
  bool has_work() const;

  // Works until the slice is used up, the round is over, or there is nothing to do. What it does at
  // once is a gradient step or a judgement of one problem, some milliseconds; beginning a round
  // takes some ten microseconds a problem.
  Result<SlowSlice> run(OnlineLearner& learner, const Clock& clock, std::chrono::nanoseconds slice);

  // Back to the nets before the last candidate that passed; what the learner has corrected stays.
  // False if there are none. Logged.
  bool roll_back(OnlineLearner& learner, const std::string& reason);

  const ReplayBuffer& buffer() const { return buffer_; }

 private:
  // One round: from a model to the verdict on what came of it.
  struct Round {
    std::shared_ptr<const CostModel> current;  // with what the learner had corrected
    ReplayTrainer trainer;
    std::shared_ptr<const CostModel> candidate{};  // once the steps are done
    std::vector<HeldBackProblem> slice{};          // as it was then
    size_t judged = 0;                             // of the slice
    std::optional<ShadowJudgement> judgement{};
    std::optional<ShadowJudgement> of_rehearsed{};  // against the model at the beginning
  };

  SlowLearner(std::shared_ptr<const CostModel> model, const SlowLearnerOptions& options, Log log);
  Status begin_round(const OnlineLearner& learner);
  Status begin_judging();
  void judge_one();
  Result<GateVerdict> settle(OnlineLearner& learner);
  bool is_rehearsed(const std::string& device) const { return timed_devices_.count(device) == 0; }

  std::shared_ptr<const CostModel> first_;
  SlowLearnerOptions options_;
  Log log_;
  ReplayBuffer buffer_;
  std::set<std::string> timed_devices_;  // of which real timings came
  size_t fresh_ = 0;                     // problems since the last round began
  std::unique_ptr<Round> round_;         // null: none under way
  std::shared_ptr<const CostModel> previous_;
};

}  // namespace triode
