// SPDX-License-Identifier: Apache-2.0
// A tuner that is killed while it writes, at every place where it does: the next one goes on, and
// has all that the first had written down or told anybody.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/tuner/tuner.h"
#include "runtime/tuner/vendor_call.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/tuner/model_runner.h"
#include "tests/tuner/sample_calls.h"

namespace triode::tuner {
namespace {

// When to die: before or after the so-manieth write of trials, or when a verdict goes out, which
// the plan's file was written for.
struct Death {
  enum When { kBeforeWrite, kAfterWrite, kAtVerdict } when;
  int count;
};

std::string death_name(const ::testing::TestParamInfo<Death>& test) {
  constexpr const char* kNames[] = {"BeforeWrite", "AfterWrite", "AtVerdict"};
  return kNames[test.param.when] + std::to_string(test.param.count);
}

// Exit codes of a child that lives.
constexpr int kDone = 0, kLostTrials = 2, kLostPlan = 3, kNoPlan = 4, kNoCache = 5;

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Counts what is on the disk, in a place that outlives the process, and dies when it is told to.
class DyingLog final : public TrialLog {
 public:
  DyingLog(std::unique_ptr<TrialLog> inner, Death death, int acknowledged)
      : inner_(std::move(inner)), death_(death), acknowledged_(acknowledged) {}

  Status begin_search() override { return inner_->begin_search(); }
  Status flush() override { return inner_->flush(); }
  std::vector<Trial> known(const Target& target, const Problem& problem,
                           const Space& space) override {
    return inner_->known(target, problem, space);
  }
  Status record(const Target& target, const Problem& problem, const Space& space,
                std::vector<ConfigTrial> trials) override {
    std::string configs;
    for (const ConfigTrial& trial : trials) {
      configs += std::to_string(problem.m) + ' ' + space.to_string(trial.config) + '\n';
    }
    const bool is_last = ++writes_ == death_.count;
    if (is_last && death_.when == Death::kBeforeWrite) die();
    const Status status = inner_->record(target, problem, space, std::move(trials));
    if (status.ok()) {
      [[maybe_unused]] const ssize_t told = write(acknowledged_, configs.data(), configs.size());
    }
    if (is_last && death_.when == Death::kAfterWrite) die();
    return status;
  }

 private:
  const std::unique_ptr<TrialLog> inner_;
  const Death death_;
  const int acknowledged_;
  int writes_ = 0;
};

class KilledTuner : public ::testing::TestWithParam<Death> {
 protected:
  // The database has threads, which a fork would lose: whoever opens it is a child.
  int in_child(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  // Tunes two calls. `told` are the configs that an earlier process was told are kept, and `plans`
  // how many verdicts it gave.
  int tune(Death death, int acknowledged, const std::multiset<std::string>& told, int plans) {
    FakeClock clock;
    ModelRunner runner(clock);
    GridRanker ranker;
    auto stored = open_stored_trials((folder_.path() / "store").string(), SyncLevel::kBatch);
    if (!stored.ok()) return kNoCache;
    DyingLog log(std::move(stored).take(), death, acknowledged);
    PlanBook book((folder_.path() / "host.plans").string());
    EventLog events("");
    int verdicts = 0;
    Tuner tuner(
        {.ranker = ranker,
         .runner = runner,
         .log = log,
         .book = book,
         .events = events,
         .clock = clock,
         .space_of = [](const Target&, const Problem&) -> Result<Space> { return model_space(); },
         .deliver =
             [&](ClientId, const Verdict& verdict) {
               ++verdicts;
               const char byte = '!';
               [[maybe_unused]] const ssize_t sent = write(acknowledged, &byte, 1);
               if (death.when == Death::kAtVerdict && verdicts == death.count) die();
               if (verdict.plan.empty()) _exit(kNoPlan);
             }},
        {});
    if (has_lost(log, told)) return kLostTrials;
    const Plans known = tuner.join(1, Hello{"1", 1, "program", sample_target()});
    if (known.plans.size() < static_cast<size_t>(plans)) return kLostPlan;
    for (const int64_t size : {16, 17}) {
      tuner.report(1, Reports{{ProblemReport{size, sample_call(size), {10, 1e7, 0, 0}}}});
    }
    while (tuner.step([] { return false; })) {
    }
    return verdicts == 2 ? kDone : kNoPlan;
  }

  static bool has_lost(TrialLog& log, std::multiset<std::string> told) {
    const Space space = model_space();
    for (const int64_t size : {16, 17}) {
      const Problem problem = problem_of(sample_call(size)).value();
      for (const Trial& trial : log.known(sample_target(), problem, space)) {
        told.erase(std::to_string(size) + ' ' + space.to_string(trial.config));
      }
    }
    return !told.empty();
  }

  TemporaryFolder folder_;
};

TEST_P(KilledTuner, IsFollowedByOneThatHasAllThatWasAcknowledged) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(in_child([&] { return tune(GetParam(), ends[1], {}, 0); }), -SIGKILL);
  close(ends[1]);
  std::string line;
  char byte = 0;
  std::multiset<std::string> told;
  int plans = 0;
  while (read(ends[0], &byte, 1) == 1) {
    if (byte == '!') {
      ++plans;
    } else if (byte == '\n') {
      told.insert(std::exchange(line, ""));
    } else {
      line += byte;
    }
  }
  close(ends[0]);
  const Death never{Death::kBeforeWrite, -1};
  EXPECT_EQ(in_child([&] { return tune(never, STDERR_FILENO + 100, told, plans); }), kDone);
}

// Each of forty trials is written, then some races: the second search begins behind the fortieth.
INSTANTIATE_TEST_SUITE_P(
    Tuner, KilledTuner,
    ::testing::Values(Death{Death::kBeforeWrite, 1}, Death{Death::kAfterWrite, 1},
                      Death{Death::kBeforeWrite, 2}, Death{Death::kAfterWrite, 17},
                      Death{Death::kBeforeWrite, 40}, Death{Death::kAfterWrite, 40},
                      Death{Death::kAfterWrite, 41}, Death{Death::kAtVerdict, 1},
                      Death{Death::kBeforeWrite, 50}, Death{Death::kAfterWrite, 60},
                      Death{Death::kAfterWrite, 80}, Death{Death::kAtVerdict, 2}),
    death_name);

}  // namespace
}  // namespace triode::tuner
