// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/problem_search.h"

#include <algorithm>
#include <map>
#include <utility>

namespace triode::tuner {
namespace {

using std::chrono::nanoseconds;

// Share of the budget for trying; the rest is for races.
constexpr double kTrialShare = 0.6;

// Configs of earlier searches that are tried again: what is behind them was behind then, too.
constexpr size_t kKnownFirst = 4;

// A budget shorter than so many of the vendor's calls is raised to that, and a race's likewise.
constexpr int kLeastCalls = 64;
constexpr int kLeastRaceCalls = 32;

// A finalist that took so many times as long as the vendor is not raced.
constexpr double kHopeless = 1.5;

// Of a race that was disturbed, each with twice the time: on a busy machine few rounds are not.
constexpr int kUnstableAttempts = 3;

nanoseconds share_of(nanoseconds time, double share) {
  return nanoseconds(static_cast<int64_t>(static_cast<double>(time.count()) * share));
}

struct Racer {
  Config config;
  RaceResult result;
};

class ProblemSearch {
 public:
  ProblemSearch(const TunedCall& call, const Problem& problem, const Space& space,
                std::span<const Trial> known, Ranker& ranker, TrialRunner& runner,
                const Clock& clock, const ProblemSearchOptions& options)
      : call_(call),
        problem_(problem),
        space_(space),
        seen_(known.begin(), known.end()),
        ranker_(ranker),
        runner_(runner),
        clock_(clock),
        options_(options) {}

  Result<SearchedProblem> run() {
    vendor_call_ = TRIODE_TRY(runner_.begin(call_));
    ranker_.face(call_.target);
    budget_ = std::max(options_.budget, kLeastCalls * vendor_call_);
    TRIODE_TRY(try_known());
    TRIODE_TRY(try_proposed());
    const std::optional<Racer> best = TRIODE_TRY(race_finalists());
    if (!best) return stays();
    return confirm(*best);
  }

 private:
  bool should_stop() const { return options_.should_stop && options_.should_stop(); }
  Status stopped() const {
    return unavailable("the search for '" + to_string(problem_) + "' was stopped");
  }
  bool is_over() const {
    return tried_.size() >= options_.most_trials || clock_.now() - begin_ >= trial_time();
  }
  nanoseconds trial_time() const { return share_of(budget_, kTrialShare); }

  SearchedProblem stays() {
    if (remark_.empty()) remark_ = "nothing faster was found";
    return {std::nullopt, 0, remark_, tried_.size(), twins_, was_disturbed_};
  }

  Status try_known() {
    std::vector<Trial> best;
    for (const Trial& trial : seen_) {
      if (trial.outcome.ok()) best.push_back(trial);
    }
    std::stable_sort(best.begin(), best.end(), [](const Trial& a, const Trial& b) {
      return a.measurement.median_ns < b.measurement.median_ns;
    });
    std::vector<Config> first;
    for (size_t i = 0; i < std::min(kKnownFirst, best.size()); ++i) {
      first.push_back(best[i].config);
    }
    TRIODE_TRY(try_batch(first));
    return seen_.empty() ? try_batch(options_.hints) : Status();
  }

  Status try_proposed() {
    while (!is_over()) {
      const std::vector<Config> batch = ranker_.propose(problem_, space_, seen_, options_.batch);
      if (batch.empty()) return {};
      TRIODE_TRY(try_batch(batch));
    }
    return {};
  }

  Status try_batch(const std::vector<Config>& batch) {
    std::vector<Result<uint64_t>> digests;
    if (options_.emit) digests = options_.emit(batch);
    TRIODE_TRY(check_compiler(digests));
    for (size_t i = 0; i < batch.size() && !is_over(); ++i) {
      if (i < digests.size() && is_done_with(batch[i], digests[i])) continue;
      TRIODE_TRY(try_config(batch[i]));
    }
    return {};
  }

  // An error if the compiler was not there for any of them: whoever searches later may find it.
  static Status check_compiler(const std::vector<Result<uint64_t>>& digests) {
    for (const Result<uint64_t>& digest : digests) {
      if (digest.ok() || digest.status().code() != StatusCode::kUnavailable) return {};
    }
    return digests.empty() ? Status() : digests.front().status();
  }

  // Whether the code says all there is to say of the config: there is none, or it was tried.
  bool is_done_with(const Config& config, const Result<uint64_t>& digest) {
    if (!digest.ok() && digest.status().code() == StatusCode::kUnavailable) {
      // Passed over here, and not recorded: it says nothing of the config.
      if (remark_.empty()) remark_ = digest.status().message();
      seen_.push_back({config, {OutcomeKind::kCompileFailed, digest.status().message()}, {}});
      return true;
    }
    if (!digest.ok()) {
      note({config, outcome_of_failure(digest.status(), OutcomeKind::kCompileFailed), {}});
      return true;
    }
    const auto [twin, is_new] = by_code_.try_emplace(*digest, tried_.size());
    if (is_new) return false;  // the next trial
    const Trial& known = tried_[twin->second];
    seen_.push_back({config, known.outcome, known.measurement});
    ++twins_;
    return true;
  }

  Status try_config(const Config& config) {
    if (should_stop()) return stopped();
    const TrialResult result = runner_.try_config(space_.to_string(config));
    // Called off: nothing is known of it.
    if (result.outcome.kind == OutcomeKind::kUnstable && should_stop()) return stopped();
    note({config, result.outcome, result.measurement});
    return {};
  }

  void note(const Trial& trial) {
    tried_.push_back(trial);
    seen_.push_back(trial);
    ranker_.learn(problem_, space_, trial);
    if (options_.on_trial) options_.on_trial(trial);
    if (!trial.outcome.ok() && remark_.empty()) remark_ = trial.outcome.reason;
  }

  std::vector<Config> finalists() const {
    std::vector<const Trial*> ranking;
    for (const Trial& trial : tried_) {
      const double limit = kHopeless * static_cast<double>(vendor_call_.count());
      if (trial.outcome.ok() && trial.measurement.min_ns <= limit) ranking.push_back(&trial);
    }
    std::stable_sort(ranking.begin(), ranking.end(), [](const Trial* a, const Trial* b) {
      return a->measurement.min_ns < b->measurement.min_ns;
    });
    std::vector<Config> best;
    for (size_t i = 0; i < std::min(options_.finalists, ranking.size()); ++i) {
      best.push_back(ranking[i]->config);
    }
    return best;
  }

  // The surest winner; empty if none beats the vendor.
  Result<std::optional<Racer>> race_finalists() {
    std::optional<Racer> best;
    for (const Config& config : finalists()) {
      std::optional<Racer> racer = TRIODE_TRY(race(config));
      if (!racer) continue;
      const double sure = speedup_at_least(racer->result.pair, options_.rule);
      if (!best || sure > speedup_at_least(best->result.pair, options_.rule)) {
        best = std::move(racer);
      }
    }
    return best;
  }

  // Empty if it did not beat the vendor, or not beyond doubt.
  Result<std::optional<Racer>> race(const Config& config) {
    const nanoseconds budget =
        std::max(share_of(budget_, options_.race_share), kLeastRaceCalls * vendor_call_);
    for (int attempt = 0; attempt < kUnstableAttempts; ++attempt) {
      if (should_stop()) return stopped();
      RaceResult result = runner_.race(space_.to_string(config), budget * (1 << attempt));
      if (result.outcome.kind == OutcomeKind::kUnstable) {
        remark_ = result.outcome.reason;
        was_disturbed_ = true;
        continue;
      }
      if (!result.outcome.ok()) {
        record_failed_race(config, result.outcome);
        return std::optional<Racer>();
      }
      if (options_.on_race) options_.on_race(config, result.pair);
      if (!beats_vendor(result.pair, options_.rule)) return std::optional<Racer>();
      return std::optional<Racer>({config, std::move(result)});
    }
    return std::optional<Racer>();
  }

  // A race checks more than a trial did.
  void record_failed_race(const Config& config, const Outcome& outcome) {
    remark_ = outcome.reason;
    if (options_.on_trial) options_.on_trial({config, outcome, {}});
  }

  // The figures of the last race are the plan's: those that chose it flatter it.
  Result<SearchedProblem> confirm(const Racer& first) {
    std::optional<Racer> again = TRIODE_TRY(race(first.config));
    if (again && again->result.pair.speedup >= options_.rule.suspicious_speedup) {
      again = TRIODE_TRY(race(first.config));
    }
    if (!again || again->result.code_digest != first.result.code_digest) return stays();
    const RaceResult& result = again->result;
    return SearchedProblem{.plan = StoredPlan{.problem = problem_,
                                              .config = space_.to_string(first.config),
                                              .vendor = call_.call.vendor(),
                                              .code_digest = result.code_digest,
                                              .speedup = result.pair.speedup,
                                              .vendor_ns = result.pair.vendor.median_ns,
                                              .plan_ns = result.pair.candidate.median_ns},
                           .speedup_spread = result.pair.speedup_spread,
                           .remark = "",
                           .trials = tried_.size(),
                           .twins = twins_,
                           .was_disturbed = false};
  }

  const TunedCall& call_;
  const Problem& problem_;
  const Space& space_;
  std::vector<Trial> seen_;   // of earlier searches and of this one
  std::vector<Trial> tried_;  // of this one
  Ranker& ranker_;
  TrialRunner& runner_;
  const Clock& clock_;
  const ProblemSearchOptions& options_;
  const nanoseconds begin_ = clock_.now();
  nanoseconds vendor_call_{};
  nanoseconds budget_{};
  std::map<uint64_t, size_t> by_code_;  // position in tried_, by digest
  size_t twins_ = 0;
  std::string remark_;
  bool was_disturbed_ = false;
};

}  // namespace

Result<SearchedProblem> search_problem(const TunedCall& call, const Problem& problem,
                                       const Space& space, std::span<const Trial> known,
                                       Ranker& ranker, TrialRunner& runner, const Clock& clock,
                                       const ProblemSearchOptions& options) {
  return ProblemSearch(call, problem, space, known, ranker, runner, clock, options).run();
}

}  // namespace triode::tuner
