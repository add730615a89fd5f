// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/tuner/tuner.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {

// Trials in memory, how many searches have ended, and the latest plan.
class MemoryLog final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override {
    std::vector<Trial> known;
    for (const auto& [config, record] : trials) {
      known.push_back({config, record.outcome, record.measurement});
    }
    return known;
  }
  Status record(const Target&, const Problem&, const Space&,
                std::vector<ConfigTrial> more) override {
    if (!fails.ok()) return fails;
    trials.insert(trials.end(), more.begin(), more.end());
    return {};
  }
  Status flush() override {
    ++flushes;
    return {};
  }
  Status keep_plan(const TunedCall&, const StoredPlan& kept, double speedup_spread) override {
    plan = kept;
    spread = speedup_spread;
    return {};
  }
  Status withdraw_plan(const TunedCall&, const Problem&) override {
    plan.reset();
    return {};
  }
  std::vector<ConfigTrial> trials;
  std::optional<StoredPlan> plan;
  double spread = 0;
  int flushes = 0;
  Status fails;
};

// A tuner with trials of a model, in one thread: the test takes its steps.
class OneTuner : public ::testing::Test {
 protected:
  OneTuner() { tuner_ = make_tuner(); }

  std::unique_ptr<Tuner> make_tuner() {
    return std::make_unique<Tuner>(
        Tuner::Parts{
            .ranker = ranker_,
            .runner = runner_,
            .log = log_,
            .book = book_,
            .events = events_,
            .clock = clock_,
            .space_of = [this](const Target&, const Problem&) -> Result<Space> {
              if (!no_space_.ok()) return no_space_;
              return model_space();
            },
            .deliver = [this](ClientId client,
                              const Verdict& verdict) { verdicts_.emplace_back(client, verdict); },
            .wall = clock_,
            .complete = [this](
                            const Target&,
                            Verdict& verdict) { return verdict.plan.empty() ? Status() : lost_; }},
        ProblemSearchOptions{});
  }

  Plans join(ClientId client, bool trusts_model = false) {
    return tuner_->join(client, Hello{"1", 1, "program", sample_target(), trusts_model});
  }
  void tell_figures(ClientId client, int64_t size, const CallFigures& use) {
    tuner_->report(client, Reports{{ProblemReport{size, sample_call(size), use, false}}});
  }
  SentProblem shown() const { return tuner_->status().problems.at(0); }
  void report(ClientId client, int64_t size, double total_ns = 1e7) {
    tuner_->report(client, Reports{{ProblemReport{size, sample_call(size), {10, total_ns, 0, 0}}}});
  }
  // The plan that came last, or the one of this code.
  void withdraw(ClientId client, int64_t size) {
    withdraw(client, size, verdicts_.back().second.plan.at(0).code_digest);
  }
  void withdraw(ClientId client, int64_t size, uint64_t code_digest) {
    tuner_->withdraw(client, Withdrawal{size, sample_call(size), code_digest, 900, 800});
  }
  bool step() {
    return tuner_->step([] { return false; });
  }

  FakeClock clock_;
  ModelRunner runner_{clock_};
  GridRanker ranker_;
  MemoryLog log_;
  TemporaryFolder folder_;
  PlanBook book_{(folder_.path() / "host.plans").string()};
  EventLog events_{""};
  Status no_space_;
  Status lost_;  // of every plan, when it is to be sent
  std::vector<std::pair<ClientId, Verdict>> verdicts_;
  std::unique_ptr<Tuner> tuner_;
};

}  // namespace triode::tuner
