// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/search_journal.h"

#include <utility>

namespace triode::tuner {
namespace {

// Trials that wait to be written: a few milliseconds a write, and as many trials lost by kill -9.
constexpr size_t kTrialsPerWrite = 16;

// What earlier searches of the same config need not see again, and must not lose.
bool is_harmful(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kCrashed || outcome.kind == OutcomeKind::kTimedOut ||
         outcome.kind == OutcomeKind::kOutOfMemory;
}

}  // namespace

SearchJournal::SearchJournal(const Parts& parts, const Target& target, const Problem& problem,
                             const Space& space)
    : parts_(parts),
      target_(target),
      problem_(problem),
      space_(space),
      latest_(parts.clock.now()) {}

void SearchJournal::add_trial(const Trial& trial) {
  const std::chrono::nanoseconds before = std::exchange(latest_, parts_.clock.now());
  parts_.metrics.count("trials", "outcome=" + std::string(to_string(trial.outcome.kind)));
  parts_.metrics.observe("trial_seconds", std::chrono::duration<double>(latest_ - before).count());
  unwritten_.push_back({trial.config, {trial.outcome, trial.measurement}});
  if (is_harmful(trial.outcome)) {
    parts_.events.write("failed", {{"problem", to_string(problem_)},
                                   {"config", space_.to_string(trial.config)},
                                   {"outcome", std::string(to_string(trial.outcome.kind))},
                                   {"reason", trial.outcome.reason}});
  }
  if (is_harmful(trial.outcome) || unwritten_.size() >= kTrialsPerWrite) write();
}

void SearchJournal::add_race(const Config& config, const PairMeasurement& pair) {
  parts_.metrics.count("races");
  TrialRecord record{.outcome = {}, .measurement = pair.candidate};
  record.vendor = VendorTime{pair.vendor.median_ns, pair.speedup, pair.speedup_spread};
  unwritten_.push_back({config, std::move(record)});
}

void SearchJournal::write() {
  if (unwritten_.empty()) return;
  const Status written = parts_.log.record(target_, problem_, space_, std::move(unwritten_));
  unwritten_.clear();
  if (!written.ok()) parts_.events.write("error", {{"message", written.message()}});
}

}  // namespace triode::tuner
