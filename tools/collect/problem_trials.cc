// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/problem_trials.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>

namespace triode::collect {
namespace {

// Two configs closer than this are as good as each other; a steadier ratio would only cost time.
constexpr double kTargetSpread = 0.01;
// With fewer, one disturbed round moves the median.
constexpr int kLeastRounds = 5;
// A first call this many times the shortest one: no repetition brings such a config to the top,
// although the first call also touches new pages.
constexpr int kHopeless = 2;
constexpr int kHopelessRounds = 3;
// A trial whose ratio varies more than this was disturbed: it is made again, so often at most, and
// the steadiest counts. One that stays so unsteady that it says nothing is kept as unstable.
constexpr double kDisturbed = 0.03;
constexpr int kMostRepeats = 2;
constexpr double kUnstable = 0.15;
// The best are told apart more finely, and three times as long.
constexpr double kFinalSpread = 0.004;
constexpr int kFinalRounds = 9;
constexpr int kFinalTrials = 3;

// The vendor's kernel is timed in the same rounds, so that what slows the machine down for a while
// slows both: their ratio tells configs apart that were timed minutes from each other.
double relative_time(const TrialRecord& record) {
  return record.vendor && record.vendor->speedup > 0 ? 1 / record.vendor->speedup
                                                     : record.measurement.median_ns;
}

}  // namespace

void ProblemTrials::try_config(const Config& config) {
  const auto artifact = device_.build(problem_, config);
  if (!artifact.ok()) {
    TrialRecord record;
    record.when_unix_s = std::time(nullptr);
    record.outcome = outcome_of_failure(artifact.status(), OutcomeKind::kCompileFailed);
    trials_.push_back({config, std::move(record)});
    return;
  }
  TrialRecord record = run_and_check(**artifact);
  if (record.outcome.ok()) {
    const bool is_hopeless = shortest_call_ && first_call_ > kHopeless * *shortest_call_;
    shortest_call_ = shortest_call_ ? std::min(*shortest_call_, first_call_) : first_call_;
    TimingOptions options;
    options.budget = trial_;
    options.target_spread = kTargetSpread;
    options.min_rounds = is_hopeless ? kHopelessRounds : kLeastRounds;
    time(**artifact, options, record);
  }
  trials_.push_back({config, std::move(record)});
}

TrialRecord ProblemTrials::run_and_check(const Artifact& artifact) {
  TrialRecord record;
  record.when_unix_s = std::time(nullptr);
  checked_.reset_c();
  const std::chrono::nanoseconds start = clock_.now();
  const Status ran = device_.run(artifact, checked_.operands());
  first_call_ = clock_.now() - start;
  record.outcome =
      ran.ok() ? checked_.check() : outcome_of_failure(ran, OutcomeKind::kLaunchFailed);
  return record;
}

void ProblemTrials::time(const Artifact& artifact, const TimingOptions& options,
                         TrialRecord& record) {
  record.vendor.reset();
  for (int repeat = 0; repeat <= kMostRepeats; ++repeat) {
    const auto timed = device_.time(artifact, vendor_, checked_.operands(), options);
    if (!timed.ok()) {
      record.outcome = outcome_of_failure(timed.status(), OutcomeKind::kLaunchFailed);
      return;
    }
    if (!record.vendor || timed->speedup_spread < record.vendor->speedup_spread) {
      record.measurement = timed->candidate;
      record.vendor = VendorTime{timed->vendor.median_ns, timed->speedup, timed->speedup_spread};
    }
    if (record.vendor->speedup_spread <= kDisturbed) break;
  }
  const double spread = record.vendor->speedup_spread;
  if (spread > kUnstable) {
    record.outcome = {OutcomeKind::kUnstable,
                      "the ratio to the vendor's time varies by " + std::to_string(spread)};
  }
}

std::vector<size_t> ProblemTrials::fastest() const {
  std::vector<std::pair<double, size_t>> times;
  for (size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].record.outcome.ok()) times.emplace_back(relative_time(trials_[i].record), i);
  }
  std::sort(times.begin(), times.end());
  std::vector<size_t> places;
  for (const auto& [time, place] : times) places.push_back(place);
  return places;
}

void ProblemTrials::time_best_again(size_t count) {
  std::vector<size_t> places = fastest();
  places.resize(std::min(places.size(), count));
  TimingOptions options;
  options.budget = kFinalTrials * trial_;
  options.target_spread = kFinalSpread;
  options.min_rounds = kFinalRounds;
  for (const size_t place : places) {
    // It was built before; one that is not built again keeps its first time.
    const auto artifact = device_.build(problem_, trials_[place].config);
    if (artifact.ok()) time(**artifact, options, trials_[place].record);
  }
}

}  // namespace triode::collect
