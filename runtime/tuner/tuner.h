// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/tuner/event_log.h"
#include "runtime/tuner/messages.h"
#include "runtime/tuner/metrics.h"
#include "runtime/tuner/plan_book.h"
#include "runtime/tuner/problem_board.h"
#include "runtime/tuner/problem_search.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/recent_rate.h"
#include "runtime/tuner/scheduler.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/trial_runner.h"
#include "runtime/tuner/trusted_choice.h"

namespace triode::tuner {

// What the tuner has done and does, for `triode tuner status`.
struct TunerStatus {
  uint64_t searches = 0, trials = 0, failed_trials = 0, plans_found = 0, vendor_stays = 0,
           withdrawals = 0;
  size_t plans = 0, waiting = 0, problem_count = 0;
  double trials_per_second = 0;
  std::vector<SentProblem> problems;  // those that take most time first
  std::string current;                // problem being searched; empty: none
  size_t current_trials = 0;
  std::vector<StoredPlan> latest;  // plans found, newest last, a few
};

// Finds plans for the calls that clients report. join(), leave(), report() and the like may come
// from any thread and take a lock for microseconds (a withdrawal also writes a file); step() does
// the work, on one thread.
class Tuner {
 public:
  struct Parts {
    Ranker& ranker;
    TrialRunner& runner;
    TrialLog& log;
    PlanBook& book;
    EventLog& events;
    const Clock& clock;
    // The space of a problem on this machine; kUnsupported for a target that is not it.
    std::function<Result<Space>(const Target&, const Problem&)> space_of;
    // A verdict for a client, on the thread of step(), report() or withdraw(), outside of any lock.
    std::function<void(ClientId, const Verdict&)> deliver;
    // See ProblemSearchOptions::emit. Empty: nothing is emitted ahead.
    std::function<std::vector<Result<uint64_t>>(const Target&, const Problem&,
                                                std::span<const Config>)>
        emit = {};
    // What trials a second are counted by, and when a call may be searched again: `clock` may stand
    // still while the tuner rests.
    const Clock& wall = steady_clock();
    // Adds to a verdict for a client of this target what the book does not keep. An error: its
    // plan is of no use without, and is looked for anew. Empty: nothing is added. Where deliver()
    // is called.
    std::function<Status(const Target&, Verdict&)> complete = {};
    // The target under which trials of a problem are kept, whose toolchain says all that decides
    // the code. Empty: the program's own. The thread of step().
    std::function<Result<Target>(const Target&, const Problem&)> recorded_as = {};
    // Changes how a problem of this target is searched. Empty: all alike.
    std::function<void(const Target&, ProblemSearchOptions&)> adapt = {};
  };

  Tuner(Parts parts, ProblemSearchOptions search);

  // Every plan that is known for the target.
  Plans join(ClientId client, const Hello& hello);
  void leave(ClientId client);
  void report(ClientId client, const Reports& reports);
  // A plan that others have withdrawn before, or that was replaced, is not forgotten again: the
  // client gets the one that is there now, or waits for it.
  void withdraw(ClientId client, const Withdrawal& withdrawal);

  // Looks for the model's choice for one call, or searches for one, if any is waited for: true.
  // `should_stop` ends it soon.
  bool step(const std::function<bool()>& should_stop);

  // For who has nothing to step: lets the ranker learn from the past for about so long. False: it
  // has nothing to do either. The thread of step().
  bool reflect(std::chrono::nanoseconds slice) {
    return parts_.ranker.reflect(parts_.clock, slice);
  }

  TunerStatus status() const;
  // What a client's problems cost it, for status.
  ProblemBoard::ClientTotal total_of(ClientId client) const;
  const Metrics& metrics() const { return metrics_; }

 private:
  // Searches of one call that could not begin, or whose plan was withdrawn, after which the vendor
  // stays for as long as the tuner lives.
  static constexpr int kMostAttempts = 3;

  // What is known of a call that was looked into.
  struct Settled {
    std::optional<StoredPlan> plan;
    std::string remark;
    Verdict to_verdict(int64_t report_id) const;
  };
  using Delivery = std::pair<ClientId, Verdict>;

  struct Client {
    Target target;
    bool trusts_model = false;
  };
  struct UnderstoodReport {
    const ProblemReport& report;
    Result<Problem> problem;
    double expected_saving;
  };
  UnderstoodReport understand(const ProblemReport& report) const;
  std::optional<Verdict> take_report(ClientId id, const Client& client,
                                     const UnderstoodReport& understood);
  std::optional<Verdict> queue(ClientId id, const Client& client, const TunedCall& call,
                               const UnderstoodReport& understood);
  void take_figures(ClientId id, const TunedCall& call, const Problem& problem,
                    const ProblemReport& report);
  bool is_in_force(const TunedCall& call, const Problem& problem, uint64_t code_digest) const;
  void forget_plan(const TunedCall& call, const Problem& problem, const Withdrawal& withdrawal);
  void count_withdrawal(const std::string& identity);
  std::optional<Verdict> answer_withdrawal(ClientId id, const TunedCall& call,
                                           const UnderstoodReport& understood);
  std::optional<Settled> find_settled(const TunedCall& call, const Problem& problem) const;
  Result<Target> recorded_as(const Target& target, const Problem& problem) const {
    return parts_.recorded_as ? parts_.recorded_as(target, problem) : Result<Target>(target);
  }
  Result<SearchedProblem> search(const TunedCall& call, const Problem& problem,
                                 const std::function<bool()>& should_stop);
  void count_trial(const std::string& identity, const Trial& trial);
  void announce(const TunedCall& call, const Problem& problem,
                const Result<SearchedProblem>& found);
  std::chrono::nanoseconds rest_after_disturbance(const std::string& identity);
  bool trust_next();
  Result<TrustedChoice> choose(const TunedCall& call);
  std::vector<Delivery> settle_trust(const TunedCall& call, const Result<TrustedChoice>& choice);
  void show_waiting(const std::string& identity);
  void show_settled(const std::string& identity, const Settled& settled);
  std::vector<Delivery> finish(const Result<SearchedProblem>& found,
                               std::chrono::nanoseconds spent);
  void note_error(const Status& status);
  void deliver(ClientId client, const TunedCall& call, Verdict verdict);
  // A plan whose code is gone, which was meant to answer a report.
  struct LostPlan {
    int64_t report_id;
    uint64_t code_digest;
    Status why;
  };
  void replace_lost(ClientId client, const TunedCall& call, const LostPlan& lost);

  const Parts parts_;
  Metrics metrics_;
  const ProblemSearchOptions search_options_;
  mutable std::mutex mutex_;  // guards what follows; no file is written under it
  std::map<ClientId, Client> clients_;
  Scheduler scheduler_;
  std::optional<WaitingCall> current_;         // being searched
  std::map<std::string, Settled> settled_;     // by identity_of(), as all that follow
  std::map<std::string, TunedCall> to_trust_;  // wait for the model's choice
  std::map<std::string, Settled> trusted_;     // have it, or it was withdrawn
  ProblemBoard board_;
  RecentRate trial_rate_;
  std::map<std::string, int> attempts_;   // of calls that did not begin or were withdrawn
  std::map<std::string, int> disturbed_;  // searches of a call since the last that was not
  std::map<std::string, int> losses_;     // of a call's plans, whose code was gone
  TunerStatus status_;
};

}  // namespace triode::tuner
