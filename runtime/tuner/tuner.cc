// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <array>
#include <cstdio>
#include <utility>

#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// More than several hosts have calls; beyond, somebody has lost his mind.
constexpr size_t kMostWaiting = 1 << 16;
// Beyond, all is forgotten but the plans, which are in the book.
constexpr size_t kMostSettled = 1 << 17;
constexpr size_t kLatest = 8;
// Searches of one call that were disturbed, or whose plan was withdrawn, after which the vendor
// stays for as long as the tuner lives.
constexpr int kMostAttempts = 3;
// Trials that wait to be written: a few milliseconds a write, and as many trials lost by kill -9.
constexpr size_t kTrialsPerWrite = 16;

std::string figure(double value) {
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.4g", value));
  return text.data();
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// What earlier searches of the same config need not see again, and must not lose.
bool is_harmful(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kCrashed || outcome.kind == OutcomeKind::kTimedOut ||
         outcome.kind == OutcomeKind::kOutOfMemory;
}

}  // namespace

Tuner::Tuner(Parts parts, ProblemSearchOptions search)
    : parts_(std::move(parts)), search_options_(std::move(search)) {}

Verdict Tuner::Settled::to_verdict(int64_t report_id) const {
  Verdict verdict{report_id, {}, remark};
  if (plan) verdict.plan.push_back(SentPlan::from(*plan));
  return verdict;
}

Plans Tuner::join(ClientId client, const Hello& hello) {
  Plans plans;
  for (const StoredPlan& plan : parts_.book.plans_for(hello.target)) {
    plans.plans.push_back(SentPlan::from(plan));
  }
  const std::lock_guard lock(mutex_);
  clients_[client] = hello.target;
  return plans;
}

void Tuner::leave(ClientId client) {
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
  scheduler_.forget(client);
  if (current_) current_->clients.erase(client);
}

void Tuner::report(ClientId client, const Reports& reports) {
  // Before the lock: a model looks into a space for that.
  std::vector<UnderstoodReport> understood;
  for (const ProblemReport& report : reports.reports) understood.push_back(understand(report));
  std::vector<Verdict> verdicts;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clients_.find(client);
    if (known == clients_.end()) return;
    for (const UnderstoodReport& report : understood) {
      std::optional<Verdict> verdict = take_report(client, known->second, report);
      if (verdict) verdicts.push_back(std::move(*verdict));
    }
  }
  for (const Verdict& verdict : verdicts) parts_.deliver(client, verdict);
}

Tuner::UnderstoodReport Tuner::understand(const ProblemReport& report) const {
  Result<Problem> problem = problem_of(report.call);
  const double saving = problem.ok() ? parts_.ranker.expected_saving(*problem) : 0;
  return {report, std::move(problem), saving};
}

// A verdict if one is known already; else the call waits.
std::optional<Verdict> Tuner::take_report(ClientId client, const Target& target,
                                          const UnderstoodReport& understood) {
  const ProblemReport& report = understood.report;
  const Result<Problem>& problem = understood.problem;
  const TunedCall call{report.call, target};
  if (!problem.ok()) return Verdict{report.id, {}, problem.status().message()};
  if (const auto settled = find_settled(call, *problem)) return settled->to_verdict(report.id);
  if (current_ && identity_of(current_->call) == identity_of(call)) {
    current_->clients[client] = {report.id, report.total_ns};
    return std::nullopt;
  }
  if (scheduler_.waiting() >= kMostWaiting) {
    return Verdict{report.id, {}, "too many calls wait for the tuner"};
  }
  scheduler_.report(client, call, understood.expected_saving, report);
  return std::nullopt;
}

std::optional<Tuner::Settled> Tuner::find_settled(const TunedCall& call,
                                                  const Problem& problem) const {
  const auto settled = settled_.find(identity_of(call));
  if (settled != settled_.end()) return settled->second;
  const std::optional<StoredPlan> plan =
      parts_.book.find(call.target, to_string(problem), call.call.vendor());
  if (!plan) return std::nullopt;
  return Settled{plan, "known from an earlier run"};
}

void Tuner::withdraw(ClientId client, const Withdrawal& withdrawal) {
  TunedCall call{withdrawal.call, {}};
  const Result<Problem> problem = problem_of(call.call);
  if (!problem.ok()) return;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clients_.find(client);
    if (known == clients_.end()) return;
    call.target = known->second;
    ++status_.withdrawals;
    metrics_.count("withdrawals");
  }
  const std::string text = to_string(*problem);
  parts_.events.write("withdrawn", {{"problem", text},
                                    {"vendor", call.call.vendor()},
                                    {"plan_ns", figure(withdrawal.plan_ns)},
                                    {"vendor_ns", figure(withdrawal.vendor_ns)}});
  note_error(parts_.book.forget(call.target, text, call.call.vendor()));
  const double saving = parts_.ranker.expected_saving(*problem);
  const std::string identity = identity_of(call);
  const std::lock_guard lock(mutex_);
  if (++attempts_[identity] >= kMostAttempts) {
    settled_[identity] = {std::nullopt, "its plans turned out slower in programs"};
    return;
  }
  settled_.erase(identity);
  const ProblemReport again{withdrawal.id, call.call, 0, withdrawal.vendor_ns};
  scheduler_.report(client, call, saving, again);
}

void Tuner::note_error(const Status& status) {
  if (!status.ok()) parts_.events.write("error", {{"message", status.message()}});
}

bool Tuner::step(const std::function<bool()>& should_stop) {
  TunedCall call;
  {
    const std::lock_guard lock(mutex_);
    current_ = scheduler_.take_next();
    if (!current_) return false;
    call = current_->call;
  }
  const std::chrono::nanoseconds begin = parts_.clock.now();
  const Result<Problem> problem = problem_of(call.call);  // asked before: it is one
  const Result<SearchedProblem> found = problem.ok() ? search(call, *problem, should_stop)
                                                     : Result<SearchedProblem>(problem.status());
  if (problem.ok()) announce(call, *problem, found);
  for (const auto& [client, verdict] : finish(found, parts_.clock.now() - begin)) {
    parts_.deliver(client, verdict);
  }
  return true;
}

Result<SearchedProblem> Tuner::search(const TunedCall& call, const Problem& problem,
                                      const std::function<bool()>& should_stop) {
  const std::string text = to_string(problem);
  {
    const std::lock_guard lock(mutex_);
    ++status_.searches;
    status_.current = text;
    status_.current_trials = 0;
  }
  parts_.events.write("search", {{"problem", text}, {"vendor", call.call.vendor()}});
  const Space space = TRIODE_TRY(parts_.space_of(call.target, problem));
  const std::vector<Trial> known = parts_.log.known(call.target, problem, space);
  std::vector<Trial> unwritten;
  const auto write = [&] {
    if (unwritten.empty()) return;
    note_error(parts_.log.record(call.target, problem, space, std::move(unwritten)));
    unwritten.clear();
  };
  ProblemSearchOptions options = search_options_;
  options.should_stop = should_stop;
  if (parts_.emit) {
    options.emit = [&](std::span<const Config> configs) {
      return parts_.emit(call.target, problem, configs);
    };
  }
  std::chrono::nanoseconds latest = parts_.clock.now();
  options.on_trial = [&](const Trial& trial) {
    const std::chrono::nanoseconds before = std::exchange(latest, parts_.clock.now());
    metrics_.count("trials", "outcome=" + std::string(to_string(trial.outcome.kind)));
    metrics_.observe("trial_seconds", seconds(latest - before));
    {
      const std::lock_guard lock(mutex_);
      ++status_.trials;
      ++status_.current_trials;
      if (!trial.outcome.ok()) ++status_.failed_trials;
    }
    unwritten.push_back(trial);
    if (is_harmful(trial.outcome)) {
      parts_.events.write("failed", {{"problem", text},
                                     {"config", space.to_string(trial.config)},
                                     {"outcome", std::string(to_string(trial.outcome.kind))},
                                     {"reason", trial.outcome.reason}});
    }
    if (is_harmful(trial.outcome) || unwritten.size() >= kTrialsPerWrite) write();
  };
  options.on_race = [&](const Config& config, const PairMeasurement& pair) {
    metrics_.count("races");
    unwritten.push_back({config, {}, pair.candidate});
  };
  Result<SearchedProblem> found = search_problem(call, problem, space, known, parts_.ranker,
                                                 parts_.runner, parts_.clock, options);
  write();
  if (found.ok()) metrics_.count("twins", "", found->twins);
  return found;
}

// Writes down how a search ended, the plan before anybody hears of it.
void Tuner::announce(const TunedCall& call, const Problem& problem,
                     const Result<SearchedProblem>& found) {
  const std::string text = to_string(problem);
  if (!found.ok() || !found->plan) {
    const std::string remark = found.ok() ? found->remark : found.status().message();
    return parts_.events.write("vendor-stays", {{"problem", text}, {"remark", remark}});
  }
  note_error(parts_.book.keep(call.target, *found->plan));
  parts_.events.write("plan", {{"problem", text},
                               {"vendor", call.call.vendor()},
                               {"config", found->plan->config},
                               {"speedup", figure(found->plan->speedup)},
                               {"trials", std::to_string(found->trials)}});
}

std::vector<Tuner::Delivery> Tuner::finish(const Result<SearchedProblem>& found,
                                           std::chrono::nanoseconds spent) {
  const std::lock_guard lock(mutex_);
  const WaitingCall waiting = std::move(*current_);
  current_.reset();
  scheduler_.charge(waiting, spent);
  metrics_.observe("search_seconds", seconds(spent));
  const std::string identity = identity_of(waiting.call);
  const bool was_stopped = !found.ok() && found.status().code() == StatusCode::kUnavailable;
  const bool was_disturbed = found.ok() && !found->plan && found->was_disturbed;
  const bool asks_again = (was_stopped || was_disturbed) && ++attempts_[identity] < kMostAttempts;
  std::vector<Delivery> deliveries;
  if (asks_again) {
    scheduler_.put_back(waiting);
  } else {
    if (settled_.size() >= kMostSettled) settled_.clear();
    Settled& settled = settled_[identity];
    settled = found.ok() ? Settled{found->plan, found->remark}
                         : Settled{std::nullopt, found.status().message()};
    ++(settled.plan ? status_.plans_found : status_.vendor_stays);
    metrics_.count("searches_settled", settled.plan ? "by=plan" : "by=vendor");
    if (settled.plan) metrics_.observe("speedup", settled.plan->speedup);
    if (settled.plan) status_.latest.push_back(*settled.plan);
    if (status_.latest.size() > kLatest) status_.latest.erase(status_.latest.begin());
    for (const auto& [client, use] : waiting.clients) {
      deliveries.emplace_back(client, settled.to_verdict(use.report_id));
    }
  }
  status_.current.clear();
  status_.current_trials = 0;
  return deliveries;
}

TunerStatus Tuner::status() const {
  const std::lock_guard lock(mutex_);
  TunerStatus status = status_;
  status.plans = parts_.book.size();
  status.waiting = scheduler_.waiting();
  return status;
}

}  // namespace triode::tuner
