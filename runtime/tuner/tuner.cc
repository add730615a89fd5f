// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner.h"

#include <algorithm>
#include <utility>

#include "runtime/tuner/search_journal.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// More than several hosts have calls; beyond, somebody has lost his mind.
constexpr size_t kMostWaiting = 1 << 16;
// Beyond, all is forgotten but the plans, which are in the book.
constexpr size_t kMostSettled = 1 << 17;
constexpr size_t kLatest = 8;
// In an answer to status: some 300 bytes each.
constexpr size_t kMostShown = 1000;
// A call whose races were disturbed is searched again at once, so often; then it rests, each time
// twice as long: the machine may be busy for an hour.
constexpr int kDisturbedAtOnce = 2;
constexpr std::chrono::seconds kFirstRest(1);
constexpr int kMostDoublings = 6;
// Of an earlier toolchain's configs, tried first: a sixth of what a GPU's search tries.
constexpr size_t kHints = 4;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
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
  clients_[client] = {hello.target, hello.trusts_model};
  return plans;
}

void Tuner::leave(ClientId client) {
  const std::lock_guard lock(mutex_);
  clients_.erase(client);
  scheduler_.forget(client);
  board_.leave(client);
  if (current_) current_->clients.erase(client);
}

void Tuner::report(ClientId client, const Reports& reports) {
  // Before the lock: a model looks into a space for that.
  std::vector<UnderstoodReport> understood;
  for (const ProblemReport& report : reports.reports) understood.push_back(understand(report));
  std::vector<std::pair<TunedCall, Verdict>> verdicts;
  {
    const std::lock_guard lock(mutex_);
    const auto known = clients_.find(client);
    if (known == clients_.end()) return;
    for (const UnderstoodReport& each : understood) {
      std::optional<Verdict> verdict = take_report(client, known->second, each);
      if (!verdict) continue;
      verdicts.emplace_back(TunedCall{each.report.call, known->second.target}, std::move(*verdict));
    }
  }
  for (auto& [call, verdict] : verdicts) deliver(client, call, std::move(verdict));
}

void Tuner::deliver(ClientId client, const TunedCall& call, Verdict verdict) {
  const uint64_t code_digest = verdict.plan.empty() ? 0 : verdict.plan.front().code_digest;
  const Status completed = parts_.complete ? parts_.complete(call.target, verdict) : Status();
  if (!completed.ok()) return replace_lost(client, call, {verdict.id, code_digest, completed});
  parts_.deliver(client, verdict);
}

Tuner::UnderstoodReport Tuner::understand(const ProblemReport& report) const {
  Result<Problem> problem = problem_of(report.call);
  const bool is_ranked = problem.ok() && report.wants_plan;
  const double saving = is_ranked ? parts_.ranker.expected_saving(*problem) : 0;
  return {report, std::move(problem), saving};
}

// A verdict if one is known already; else the call waits.
std::optional<Verdict> Tuner::take_report(ClientId id, const Client& client,
                                          const UnderstoodReport& understood) {
  const ProblemReport& report = understood.report;
  if (!understood.problem.ok()) {
    return Verdict{report.id, {}, understood.problem.status().message()};
  }
  const TunedCall call{report.call, client.target};
  take_figures(id, call, *understood.problem, report);
  if (!report.wants_plan) return std::nullopt;
  if (const auto settled = find_settled(call, *understood.problem)) {
    return settled->to_verdict(report.id);
  }
  return queue(id, client, call, understood);
}

void Tuner::take_figures(ClientId id, const TunedCall& call, const Problem& problem,
                         const ProblemReport& report) {
  const std::string identity = identity_of(call);
  const bool is_new = !board_.has(identity);
  board_.note_use(id, identity, call, to_string(problem), report.use);
  scheduler_.update_use(id, identity, report.use.total_ns());
  if (!is_new) return;
  // Decided before this tuner began, or by it, a long time ago.
  const std::optional<Settled> settled = find_settled(call, problem);
  if (settled || !report.wants_plan) show_settled(identity, settled.value_or(Settled{}));
}

// The model's choice, to begin with, where the client trusts it and it is known.
std::optional<Verdict> Tuner::queue(ClientId id, const Client& client, const TunedCall& call,
                                    const UnderstoodReport& understood) {
  const ProblemReport& report = understood.report;
  const std::string identity = identity_of(call);
  const bool is_current = current_ && identity_of(current_->call) == identity;
  const bool has_asked =
      is_current ? current_->clients.contains(id) : scheduler_.is_waited_for(identity, id);
  board_.expect(identity, understood.expected_saving);
  if (is_current) {
    current_->clients[id] = {report.id, report.use.total_ns()};
  } else if (scheduler_.waiting() >= kMostWaiting) {
    return Verdict{report.id, {}, "too many calls wait for the tuner"};
  } else {
    scheduler_.report(id, call, understood.expected_saving, report);
  }
  if (!client.trusts_model || has_asked) return std::nullopt;
  const auto trusted = trusted_.find(identity);
  if (trusted == trusted_.end()) {
    to_trust_.try_emplace(identity, call);
    return std::nullopt;
  }
  if (!trusted->second.plan) return std::nullopt;
  return trusted->second.to_verdict(report.id);
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

void Tuner::note_error(const Status& status) {
  if (!status.ok()) parts_.events.write("error", {{"message", status.message()}});
}

bool Tuner::step(const std::function<bool()>& should_stop) {
  if (trust_next()) return true;
  TunedCall call;
  {
    const std::lock_guard lock(mutex_);
    current_ = scheduler_.take_next(parts_.wall.now());
    if (!current_) return false;
    call = current_->call;
    board_.set_state(identity_of(call), ProblemState::kTiming);
  }
  const std::chrono::nanoseconds begin = parts_.clock.now();
  const Result<Problem> problem = problem_of(call.call);  // asked before: it is one
  const Result<SearchedProblem> found = problem.ok() ? search(call, *problem, should_stop)
                                                     : Result<SearchedProblem>(problem.status());
  if (problem.ok()) announce(call, *problem, found);
  for (const auto& [client, verdict] : finish(found, parts_.clock.now() - begin)) {
    deliver(client, call, verdict);
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
  note_error(parts_.log.begin_search());
  const Target recorded = TRIODE_TRY(recorded_as(call.target, problem));
  const std::vector<Trial> known = parts_.log.known(recorded, problem, space);
  std::vector<Trial> all = known;
  SearchJournal journal({parts_.log, parts_.events, metrics_, parts_.clock}, recorded, problem,
                        space, known.empty());
  ProblemSearchOptions options = search_options_;
  options.should_stop = should_stop;
  if (known.empty()) options.hints = parts_.log.hints(call.target, problem, space, kHints);
  if (parts_.adapt) parts_.adapt(call.target, options);
  if (parts_.emit) {
    options.emit = [&](std::span<const Config> configs) {
      return parts_.emit(call.target, problem, configs);
    };
  }
  const std::string identity = identity_of(call);
  options.on_trial = [&](const Trial& trial) {
    count_trial(identity, trial);
    journal.add_trial(trial);
    all.push_back(trial);
  };
  options.on_race = [&](const Config& config, const PairMeasurement& pair) {
    journal.add_race(config, pair);
  };
  Result<SearchedProblem> found = search_problem(call, problem, space, known, parts_.ranker,
                                                 parts_.runner, parts_.clock, options);
  parts_.ranker.review(problem, space, all);
  if (found.ok()) metrics_.count("twins", "", found->twins);
  return found;
}

void Tuner::count_trial(const std::string& identity, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  ++status_.trials;
  ++status_.current_trials;
  if (!trial.outcome.ok()) ++status_.failed_trials;
  board_.count_trial(identity);
  trial_rate_.count(parts_.wall.now());
}

// Writes down how a search ended, the plan before anybody hears of it.
void Tuner::announce(const TunedCall& call, const Problem& problem,
                     const Result<SearchedProblem>& found) {
  const std::string text = to_string(problem);
  if (!found.ok() || !found->plan) {
    const std::string remark = found.ok() ? found->remark : found.status().message();
    return parts_.events.write("vendor-stays", {{"problem", text}, {"remark", remark}});
  }
  note_error(parts_.log.keep_plan(call, *found->plan, found->speedup_spread));
  note_error(parts_.book.keep(call.target, *found->plan));
  parts_.events.write("plan", {{"problem", text},
                               {"vendor", call.call.vendor()},
                               {"config", found->plan->config},
                               {"speedup", figure(found->plan->speedup)},
                               {"trials", std::to_string(found->trials)}});
}

std::chrono::nanoseconds Tuner::rest_after_disturbance(const std::string& identity) {
  metrics_.count("disturbed");
  const int rests = ++disturbed_[identity] - kDisturbedAtOnce;
  if (rests <= 0) return std::chrono::nanoseconds(0);
  return kFirstRest * (1 << std::min(rests - 1, kMostDoublings));
}

void Tuner::show_waiting(const std::string& identity) {
  const auto trusted = trusted_.find(identity);
  if (trusted != trusted_.end() && trusted->second.plan) {
    board_.set_plan(identity, ProblemState::kTrusted, *trusted->second.plan);
  } else {
    board_.set_state(identity, ProblemState::kQueued);
  }
}

void Tuner::show_settled(const std::string& identity, const Settled& settled) {
  if (settled.plan) {
    board_.set_plan(identity, ProblemState::kTuned, *settled.plan);
  } else {
    board_.set_vendor(identity, ProblemState::kVendor, settled.remark);
  }
}

std::vector<Tuner::Delivery> Tuner::finish(const Result<SearchedProblem>& found,
                                           std::chrono::nanoseconds spent) {
  const std::lock_guard lock(mutex_);
  WaitingCall waiting = std::move(*current_);
  current_.reset();
  scheduler_.charge(waiting, spent);
  metrics_.observe("search_seconds", seconds(spent));
  const std::string identity = identity_of(waiting.call);
  const bool was_stopped = !found.ok() && found.status().code() == StatusCode::kUnavailable;
  const bool was_disturbed = found.ok() && !found->plan && found->was_disturbed;
  std::vector<Delivery> deliveries;
  if (was_disturbed || (was_stopped && ++attempts_[identity] < kMostAttempts)) {
    if (was_disturbed) waiting.not_before = parts_.wall.now() + rest_after_disturbance(identity);
    scheduler_.put_back(waiting);
    show_waiting(identity);
  } else {
    if (settled_.size() >= kMostSettled) settled_.clear();
    Settled& settled = settled_[identity];
    settled = found.ok() ? Settled{found->plan, found->remark}
                         : Settled{std::nullopt, found.status().message()};
    show_settled(identity, settled);
    disturbed_.erase(identity);
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
  status.problem_count = board_.size();
  status.problems = board_.costliest(kMostShown);
  status.trials_per_second = trial_rate_.per_second(parts_.wall.now());
  return status;
}

ProblemBoard::ClientTotal Tuner::total_of(ClientId client) const {
  const std::lock_guard lock(mutex_);
  return board_.total_of(client);
}

}  // namespace triode::tuner
