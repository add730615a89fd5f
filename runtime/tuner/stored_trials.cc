// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/stored_trials.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cache/sample_key.h"
#include "cache/spool_writer.h"
#include "cache/validity.h"
#include "core/unix_time.h"
#include "runtime/tuner/checked_code.h"

namespace triode::tuner {
namespace {

PlanKey key_of(const TunedCall& call, const Problem& problem) {
  return {.device = device_of(call.target),
          .problem = problem,
          .vendor = {.build_id = call.call.identity, .symbol = call.call.symbol},
          .threads = problem.threads,
          .validity = validity_of(call.target)};
}

}  // namespace

StoredTrials::~StoredTrials() {
  // What was spooled the next writer takes in.
  if (opened_ == nullptr && (!later_.empty() || !waiting_.is_empty())) (void)open();
  (void)write_waiting();  // nobody is left to hear of it
}

bool StoredTrials::may_pass(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kResourceExhausted;
}

Status StoredTrials::open() {
  auto opened = Cache::open(path_, {.sync = sync_});
  if (!opened.ok()) {
    if (reader_ != nullptr) return opened.status();
    auto reader = Cache::open(path_, {.mode = StoreMode::kReadOnly});
    if (reader.ok()) reader_ = std::move(reader).take();
    return opened.status();
  }
  writer_ = std::move(opened).take();
  std::vector<PlanChange> later;
  {
    const std::lock_guard lock(plans_mutex_);
    later.swap(later_);
    opened_ = writer_.get();
  }
  Status status;
  for (PlanChange& change : later) {
    Status changed = change_plan(std::move(change));
    if (!changed.ok()) status = std::move(changed);
  }
  return status;
}

Status StoredTrials::begin_search() {
  if (opened_ == nullptr) TRIODE_TRY(open());
  return write_waiting();
}

Cache* StoredTrials::cache() const {
  Cache* const writer = opened_;
  return writer != nullptr ? writer : reader_.get();
}

std::vector<Trial> StoredTrials::known(const Target& target, const Problem& problem,
                                       const Space& space) {
  // What others have left since the last search counts in this one. What cannot be taken in now
  // waits on.
  if (opened_ != nullptr) (void)writer_->take_in_spool();
  return known_since(target, problem, space, 0);
}

std::vector<Trial> StoredTrials::known_since(const Target& target, const Problem& problem,
                                             const Space& space, int64_t unix_s) {
  std::vector<Trial> trials;
  if (cache() == nullptr) return trials;
  const auto found = cache()->measurements().find(target, problem);
  if (!found.ok()) return trials;  // as if nothing were known
  for (const StoredTrial& stored : found->trials) {
    if (unix_s > 0 && stored.record.when_unix_s <= unix_s) continue;
    const Result<Config> config = space.parse(stored.config);
    if (config.ok()) {
      trials.push_back({*config, stored.record.outcome, stored.record.measurement});
    }
  }
  return trials;
}

std::vector<Config> StoredTrials::hints(const Target& target, const Problem& problem,
                                        const Space& space, size_t most) {
  std::vector<Config> hints;
  if (cache() == nullptr) return hints;
  const auto found = cache()->measurements().find(device_of(target), problem, validity_of(target),
                                                  Priors::kSameDevice);
  if (!found.ok()) return hints;
  for (const StoredTrial& stored : found->trials) {
    if (hints.size() >= most) break;
    if (!stored.is_prior() || !stored.record.outcome.ok()) continue;
    const Result<Config> config = space.parse(stored.config);
    // Several toolchains may have liked the same.
    if (config.ok() && std::find(hints.begin(), hints.end(), *config) == hints.end()) {
      hints.push_back(*config);
    }
  }
  return hints;
}

std::vector<Problem> StoredTrials::problems(const Target& target, size_t most) {
  if (cache() == nullptr) return {};
  auto found = cache()->measurements().problems(device_of(target), {}, static_cast<int64_t>(most));
  return found.ok() ? std::move(found).take() : std::vector<Problem>();  // as if none were known
}

Status StoredTrials::record(const Target& target, const Problem& problem, const Space& space,
                            std::vector<ConfigTrial> trials) {
  for (ConfigTrial& trial : trials) {
    trial.record.when_unix_s = unix_seconds();
    waiting_.add({sample_key(target, problem, space, trial.config), std::move(trial.record)});
  }
  return waiting_.is_due() ? write_waiting() : Status();
}

Status StoredTrials::append(std::span<const KeyedTrial> trials) {
  Cache* const writer = opened_;
  return writer != nullptr ? writer->measurements().append(trials) : append_to_spool(path_, trials);
}

Status StoredTrials::write_waiting() {
  return waiting_.write([this](std::span<const KeyedTrial> trials) { return append(trials); });
}

Status StoredTrials::flush() {
  TRIODE_TRY(write_waiting());
  // A trial alone is in the system's hands, whatever happens to this process; now it is on the
  // disk.
  return opened_ != nullptr && sync_ == SyncLevel::kBatch ? writer_->sync() : Status();
}

Status StoredTrials::keep_plan(const TunedCall& call, const StoredPlan& plan,
                               double speedup_spread) {
  PlanRecord record;
  record.config = plan.config;
  record.code_digest = plan.code_digest;
  record.speedup = plan.speedup;
  record.speedup_spread = speedup_spread;
  record.vendor_ns = plan.vendor_ns;
  record.plan_ns = plan.plan_ns;
  record.when_unix_s = unix_seconds();
  if (ArtifactStore* const store = artifacts()) {
    const auto artifact =
        store->find(checked_code_key(call.target, plan.problem, plan.config, plan.code_digest));
    // The code of a GPU's plan goes last where artifacts must make room.
    if (artifact.ok()) record.artifact = artifact->value_or("");
  }
  return change_plan({key_of(call, plan.problem), record, record.when_unix_s});
}

Status StoredTrials::withdraw_plan(const TunedCall& call, const Problem& problem) {
  return change_plan({key_of(call, problem), std::nullopt, unix_seconds()});
}

Status StoredTrials::change_plan(PlanChange change) {
  {
    const std::lock_guard lock(plans_mutex_);
    if (opened_ == nullptr) {
      later_.push_back(std::move(change));
      return {};
    }
  }
  PlanStore& plans = opened_.load()->plans();
  if (change.record) {
    change.record->artifact = artifact_of(change.key, change.record->config);
    return plans.put(change.key, *change.record);
  }
  std::optional<PlanRecord> known = TRIODE_TRY(plans.get(change.key));
  if (!known) return {};
  known->is_withdrawn = true;
  known->when_unix_s = change.when_unix_s;
  return plans.put(change.key, *known);
}

// The code that a plan on a GPU runs, so that it is not dropped before all that no plan runs.
std::string StoredTrials::artifact_of(const PlanKey& plan, const std::string& config) {
  const auto digest = opened_.load()->artifacts().find({.device = plan.device,
                                                        .problem = to_string(plan.problem),
                                                        .config = config,
                                                        .validity = plan.validity});
  return digest.ok() ? digest->value_or("") : "";
}

ModelStore* StoredTrials::models() {
  return cache() == nullptr ? nullptr : &cache()->models();
}

ArtifactStore* StoredTrials::artifacts() {
  return cache() == nullptr ? nullptr : &cache()->artifacts();
}

}  // namespace triode::tuner
