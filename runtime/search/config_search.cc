// SPDX-License-Identifier: Apache-2.0
#include "runtime/search/config_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/random.h"

namespace triode {
namespace {

// Shares of the budget at which the phases end. Starts and mutations find the winners; random
// samples keep the search out of one family and show what tuning is worth.
constexpr double kStartsEnd = 0.40;
constexpr double kRandomShare = 0.20;
constexpr double kMutationsEnd = 0.80;

// Even on a spent budget some of each are taken, so that every report has its figures.
constexpr std::size_t kMinTried = 8;

// Length of one quick sample: long against the clock's grain and a cold branch predictor, short
// enough for hundreds of configs a second.
constexpr double kQuickSampleNs = 150e3;
constexpr std::size_t kQuickSamples = 3;

// After one sample a config this much slower than the best is not sampled again: noise on a quiet
// core is a tenth of it.
constexpr double kHopeless = 1.3;

// If the call that was checked took this much longer than the best, it is the only sample: new code
// and memory account for a part of it, not for so much. A long call (below) hides even that part,
// and is hopeless at kHopeless, which leaves more of the budget to others.
constexpr double kHopelessAtOnce = 2.0;

// A call this long is a steady sample by itself, and two of them are enough to rank it.
constexpr double kLongCallNs = 5e6;
constexpr std::size_t kLongSamples = 2;

// Mutations start from so many of the best, and from more once all near them are tried. One alone
// gets stuck in its noise.
constexpr std::size_t kParents = 8;

constexpr int kFinalRounds = 5;        // per stage
constexpr std::size_t kLastStage = 2;  // finalists left when halving stops
constexpr std::size_t kMinFinalists = 4;
constexpr std::size_t kMaxFailuresKept = 5;
constexpr int kMutationAttempts = 200;

double nanoseconds(std::chrono::nanoseconds duration) {
  return static_cast<double>(duration.count());
}

class ConfigSearch {
 public:
  ConfigSearch(Device& device, const Problem& problem, const Space& space, CheckedOperands& checked,
               const SearchOptions& options, const Clock& clock)
      : device_(device),
        problem_(problem),
        space_(space),
        checked_(checked),
        options_(options),
        clock_(clock),
        random_(options.seed),
        begin_(clock.now()) {}

  Result<SearchResult> run(std::span<const Config> starts) {
    if (options_.exhaustive) {
      try_all();
    } else {
      try_starts(starts);
      try_random();
      try_mutations();
    }
    if (ranking_.empty()) return is_stopped_ ? stopped_early() : nothing_worked();
    time_finalists();
    stats_.spent = clock_.now() - begin_;
    return SearchResult{std::move(finalists_), std::move(tried_ok_), std::move(trials_),
                        std::move(stats_)};
  }

 private:
  using Contender = std::pair<double, Config>;  // quick time and config

  double spent_share() const {
    return nanoseconds(clock_.now() - begin_) / nanoseconds(options_.budget);
  }

  bool should_stop() {
    if (!is_stopped_ && options_.should_stop) is_stopped_ = options_.should_stop();
    return is_stopped_;
  }

  void try_all() {
    space_.for_each([this](const Config& config) {
      if (should_stop()) return false;
      if (const auto ns = try_config(config)) stats_.random_ns.push_back(*ns);
      return true;
    });
  }

  void try_starts(std::span<const Config> starts) {
    for (const Config& config : starts) {
      if (stats_.tried >= static_cast<std::int64_t>(kMinTried) && spent_share() > kStartsEnd)
        return;
      if (should_stop()) return;
      if (is_new(config)) try_config(config);
    }
  }

  void try_random() {
    const double end = spent_share() + kRandomShare;
    for (std::size_t i = 0; i < kMinTried || spent_share() < end; ++i) {
      if (should_stop()) return;
      const std::optional<Config> config = space_.sample(random_);
      if (!config || !is_new(*config)) {
        if (++repeats_ > kMutationAttempts) return;  // a space so small that it is used up
        continue;
      }
      if (const auto ns = try_config(*config)) stats_.random_ns.push_back(*ns);
    }
  }

  void try_mutations() {
    while (!ranking_.empty() && spent_share() < kMutationsEnd && !should_stop()) {
      if (const std::optional<Config> config = mutate_one_of_the_best()) {
        try_config(*config);
      } else if (parents_ < ranking_.size()) {
        parents_ *= 2;  // what lies near these is used up
      } else {
        return;
      }
    }
  }

  // A new legal config one or two parameters away from a parent; empty if none is found.
  std::optional<Config> mutate_one_of_the_best() {
    for (int attempt = 0; attempt < kMutationAttempts; ++attempt) {
      const std::size_t parents = std::min(parents_, ranking_.size());
      Config config = ranking_[random_.below(parents)].second;
      const std::size_t first = random_.below(config.size());
      change_parameter(config, first);
      // Parameters that constrain each other stand side by side: the rows of a tile and its
      // columns, the blocks. Half of the second changes go there.
      if (random_.below(2) == 0) {
        const std::size_t neighbour = (first + 1) % config.size();
        change_parameter(config, random_.below(2) == 0 ? neighbour : random_.below(config.size()));
      }
      if (space_.is_legal(config) && is_new(config)) return config;
    }
    return std::nullopt;
  }

  void change_parameter(Config& config, std::size_t position) {
    const auto& values = space_.parameters()[position].values;
    config[position] = values[random_.below(values.size())];
  }

  bool is_new(const Config& config) { return seen_.insert(space_.index_of(config)).second; }

  // Builds, checks and times a config; empty if it did not end ok.
  std::optional<double> try_config(const Config& config) {
    ++stats_.tried;
    auto artifact = device_.build(problem_, config);
    if (!artifact.ok()) {
      record(config, outcome_of_failure(artifact.status(), OutcomeKind::kCompileFailed));
      return std::nullopt;
    }
    Sample checked;
    const Outcome outcome = run_checked(**artifact, checked);
    record(config, outcome);
    if (!outcome.ok()) return std::nullopt;
    trials_.back().measurement = summarize(quick_samples(**artifact, checked));
    const double ns = trials_.back().measurement.min_ns;
    const Contender contender(ns, config);
    ranking_.insert(std::upper_bound(ranking_.begin(), ranking_.end(), contender), contender);
    tried_ok_.push_back(config);
    return ns;
  }

  // Also says how long the call took.
  Outcome run_checked(const Artifact& artifact, Sample& sample) {
    checked_.reset_c();
    const std::chrono::nanoseconds begin = clock_.now();
    const Status status = device_.run(artifact, checked_.operands());
    sample = {clock_.now() - begin, 1};
    if (!status.ok()) return outcome_of_failure(status, OutcomeKind::kLaunchFailed);
    return checked_.check();
  }

  void record(const Config& config, const Outcome& outcome) {
    ++stats_.outcomes[outcome.kind];
    trials_.push_back({config, outcome, {}});
    if (outcome.ok() || stats_.failures.size() >= kMaxFailuresKept) return;
    stats_.failures.push_back(space_.to_string(config) + ": " +
                              std::string(to_string(outcome.kind)) + ", " + outcome.reason);
  }

  // A call that was checked does not fail later.
  Sample time_calls(const Artifact& artifact, std::int32_t repeats) {
    const std::chrono::nanoseconds begin = clock_.now();
    for (std::int32_t i = 0; i < repeats; ++i) {
      (void)device_.run(artifact, checked_.operands());
    }
    return {(clock_.now() - begin) / static_cast<double>(repeats), repeats};
  }

  static std::int32_t repeats_for(double call_ns) {
    const auto repeats = std::lround(kQuickSampleNs / std::max(call_ns, 10.0));
    return static_cast<std::int32_t>(std::max(1L, repeats));
  }

  std::vector<Sample> quick_samples(const Artifact& artifact, const Sample& checked) {
    const double best = ranking_.empty() ? std::numeric_limits<double>::max() : ranking_[0].first;
    const double checked_ns = checked.per_call.count();
    const double hopeless = checked_ns >= kLongCallNs ? kHopeless : kHopelessAtOnce;
    if (checked_ns >= kQuickSampleNs && checked_ns > best * hopeless) return {checked};
    std::vector<Sample> samples = {time_calls(artifact, 1)};
    const double call_ns = samples[0].per_call.count();
    const std::int32_t repeats = repeats_for(call_ns);
    // A single call that fills the sample counts as one; shorter ones are mostly the clock's own
    // cost.
    if (repeats > 1) samples[0] = time_calls(artifact, repeats);
    const std::size_t wanted = call_ns < kLongCallNs ? kQuickSamples : kLongSamples;
    while (samples.size() < wanted && summarize(samples).min_ns <= best * kHopeless) {
      samples.push_back(time_calls(artifact, repeats));
    }
    return samples;
  }

  // As many as the rest of the budget can give a first stage to.
  std::size_t finalist_count() const {
    const double affordable = (1 - kMutationsEnd) * nanoseconds(options_.budget) /
                              (kFinalRounds * std::max(ranking_[0].first, kQuickSampleNs));
    const auto count = static_cast<std::size_t>(
        std::clamp(affordable, double{kMinFinalists}, static_cast<double>(options_.finalists)));
    return std::min(count, ranking_.size());
  }

  void add_finalist(const Contender& contender) {
    finalists_.push_back({contender.second, contender.first, {}});
  }

  std::vector<std::unique_ptr<Artifact>> build_finalists() {
    std::vector<std::unique_ptr<Artifact>> artifacts;
    for (std::size_t i = 0; i < finalist_count(); ++i) {
      auto artifact = device_.build(problem_, ranking_[i].second);
      if (!artifact.ok())
        continue;  // it was built before: out of memory now, so one finalist fewer
      add_finalist(ranking_[i]);
      artifacts.push_back(std::move(artifact).take());
    }
    return artifacts;
  }

  void time_finalists() {
    std::vector<std::unique_ptr<Artifact>> artifacts;
    if (!should_stop()) artifacts = build_finalists();
    if (artifacts.empty()) {  // stopped, or no memory even for one: their quick times must do
      for (std::size_t i = 0; i < finalist_count(); ++i) add_finalist(ranking_[i]);
      return;
    }
    std::size_t left = finalists_.size();
    do {
      time_stage(artifacts, left);
      sort_by_median(artifacts, left);
      left = (left + 1) / 2;
    } while (left >= kLastStage && (spent_share() < 1 || options_.exhaustive) && !should_stop());
    for (const RankedConfig& finalist : finalists_) {
      measurement_of(finalist.config) = measured(finalist);
    }
  }

  // There is one: finalists come from the trials.
  Measurement& measurement_of(const Config& config) {
    return std::find_if(trials_.begin(), trials_.end(),
                        [&config](const Trial& trial) { return trial.config == config; })
        ->measurement;
  }

  static Measurement measured(const RankedConfig& finalist) {
    std::vector<Sample> samples;
    for (const double ns : finalist.samples_ns) {
      samples.push_back({std::chrono::duration<double, std::nano>(ns)});
    }
    return summarize(samples);
  }

  void time_stage(const std::vector<std::unique_ptr<Artifact>>& artifacts, std::size_t count) {
    // The first round is not asked about: whoever is ranked by samples has one.
    for (int round = 0; round == 0 || (round < kFinalRounds && !should_stop()); ++round) {
      for (std::size_t turn = 0; turn < count; ++turn) {
        const std::size_t i = (turn + static_cast<std::size_t>(round)) % count;
        RankedConfig& finalist = finalists_[i];
        const Sample sample = time_calls(*artifacts[i], repeats_for(finalist.median_ns));
        finalist.samples_ns.push_back(sample.per_call.count());
      }
    }
  }

  // Sorts the first `count`; those dropped in earlier stages stay behind them.
  void sort_by_median(std::vector<std::unique_ptr<Artifact>>& artifacts, std::size_t count) {
    std::vector<std::pair<RankedConfig, std::unique_ptr<Artifact>>> both;
    for (std::size_t i = 0; i < count; ++i) {
      finalists_[i].median_ns = median_of(finalists_[i].samples_ns);
      both.emplace_back(std::move(finalists_[i]), std::move(artifacts[i]));
    }
    std::stable_sort(both.begin(), both.end(), [](const auto& x, const auto& y) {
      return x.first.median_ns < y.first.median_ns;
    });
    for (std::size_t i = 0; i < count; ++i) {
      finalists_[i] = std::move(both[i].first);
      artifacts[i] = std::move(both[i].second);
    }
  }

  Status stopped_early() const {
    return unavailable("the search for '" + to_string(problem_) + "' was stopped after " +
                       std::to_string(stats_.tried) + " configs, none of which had worked");
  }

  Status nothing_worked() const {
    std::string reasons;
    for (const std::string& failure : stats_.failures) reasons += "\n  " + failure;
    return unsupported("none of " + std::to_string(stats_.tried) + " configs worked for '" +
                       to_string(problem_) + "'" + reasons);
  }

  Device& device_;
  const Problem& problem_;
  const Space& space_;
  CheckedOperands& checked_;
  const SearchOptions& options_;
  const Clock& clock_;
  Random random_;
  const std::chrono::nanoseconds begin_;

  std::set<std::uint64_t> seen_;
  std::size_t parents_ = kParents;
  int repeats_ = 0;                 // random samples that were not new
  bool is_stopped_ = false;         // options_.should_stop said so
  std::vector<Contender> ranking_;  // by quick time, fastest first
  std::vector<Config> tried_ok_;
  std::vector<Trial> trials_;
  std::vector<RankedConfig> finalists_;
  SearchStats stats_;
};

}  // namespace

Result<SearchResult> search_configs(Device& device, const Problem& problem, const Space& space,
                                    std::span<const Config> starts, CheckedOperands& checked,
                                    const SearchOptions& options, const Clock& clock) {
  return ConfigSearch(device, problem, space, checked, options, clock).run(starts);
}

std::vector<Config> spread_over_threads(const Space& space, std::span<const Config> configs,
                                        int threads) {
  const std::optional<std::size_t> threads_at = space.position_of("threads");
  const std::optional<std::size_t> split_at = space.position_of("split");
  std::vector<Config> spread;
  if (!threads_at || !split_at) return spread;
  for (Config config : configs) {
    config[*threads_at] = threads;
    for (const int32_t split : space.parameters()[*split_at].values) {
      config[*split_at] = split;
      if (space.is_legal(config)) spread.push_back(config);
    }
  }
  return spread;
}

}  // namespace triode
