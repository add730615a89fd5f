// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/search_journal.h"

#include <algorithm>
#include <utility>

namespace triode::tuner {
namespace {

// With fewer trials there is nothing that a first choice could be worse than; as in the report's
// curves.
constexpr size_t kLeastTrials = 8;

// What earlier searches of the same config need not see again, and must not lose.
bool is_harmful(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kCrashed || outcome.kind == OutcomeKind::kTimedOut ||
         outcome.kind == OutcomeKind::kOutOfMemory;
}

}  // namespace

SearchJournal::SearchJournal(const Parts& parts, const Target& target, const Problem& problem,
                             const Space& space, bool is_first)
    : parts_(parts),
      target_(target),
      problem_(problem),
      space_(space),
      is_first_(is_first),
      latest_(parts.clock.now()) {}

SearchJournal::~SearchJournal() {
  if (is_first_ && ran_ >= kLeastTrials) {
    parts_.metrics.observe(kFirstChoiceRegret, first_ns_ / best_ns_);
  }
  note(parts_.log.flush());
}

void SearchJournal::add_trial(const Trial& trial) {
  const std::chrono::nanoseconds before = std::exchange(latest_, parts_.clock.now());
  parts_.metrics.count("trials", "outcome=" + std::string(to_string(trial.outcome.kind)));
  parts_.metrics.observe("trial_seconds", std::chrono::duration<double>(latest_ - before).count());
  if (trial.outcome.ok() && trial.measurement.median_ns > 0) {
    const double ns = trial.measurement.median_ns;
    if (ran_++ == 0) first_ns_ = best_ns_ = ns;
    best_ns_ = std::min(best_ns_, ns);
  }
  write({trial.config, {trial.outcome, trial.measurement}});
  if (is_harmful(trial.outcome)) {
    parts_.events.write("failed", {{"problem", to_string(problem_)},
                                   {"config", space_.to_string(trial.config)},
                                   {"outcome", std::string(to_string(trial.outcome.kind))},
                                   {"reason", trial.outcome.reason}});
  }
}

void SearchJournal::add_race(const Config& config, const PairMeasurement& pair) {
  parts_.metrics.count("races");
  TrialRecord record{.outcome = {}, .measurement = pair.candidate};
  record.vendor = VendorTime{pair.vendor.median_ns, pair.speedup, pair.speedup_spread};
  write({config, std::move(record)});
}

void SearchJournal::write(ConfigTrial trial) {
  note(parts_.log.record(target_, problem_, space_, {std::move(trial)}));
}

void SearchJournal::note(const Status& written) {
  if (written.ok() || std::exchange(has_failed_, true)) return;
  parts_.events.write("error", {{"message", written.message()}});
}

}  // namespace triode::tuner
