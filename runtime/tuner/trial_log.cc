// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_log.h"

#include <chrono>
#include <optional>
#include <utility>

#include "cache/cache.h"
#include "cache/validity.h"

namespace triode::tuner {
namespace {

int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

class StoredTrials final : public TrialLog {
 public:
  explicit StoredTrials(std::unique_ptr<Cache> cache) : cache_(std::move(cache)) {}

  std::vector<Trial> known(const Target& target, const Problem& problem,
                           const Space& space) override {
    // What others have left since the last search counts in this one. What cannot be taken in now
    // waits on.
    (void)cache_->take_in_spool();
    return known_since(target, problem, space, 0);
  }

  std::vector<Trial> known_since(const Target& target, const Problem& problem, const Space& space,
                                 int64_t unix_s) override {
    const auto found = cache_->measurements().find(target, problem);
    std::vector<Trial> trials;
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

  std::vector<Problem> problems(const Target& target, size_t most) override {
    auto found = cache_->measurements().problems(device_of(target), {}, static_cast<int64_t>(most));
    return found.ok() ? std::move(found).take() : std::vector<Problem>();  // as if none were known
  }

  Status record(const Target& target, const Problem& problem, const Space& space,
                std::vector<ConfigTrial> trials) override {
    for (ConfigTrial& trial : trials) trial.record.when_unix_s = unix_seconds();
    return cache_->measurements().put_all(target, problem, space, trials);
  }

  Status keep_plan(const TunedCall& call, const StoredPlan& plan, double speedup_spread) override {
    PlanRecord record;
    record.config = plan.config;
    record.code_digest = plan.code_digest;
    record.speedup = plan.speedup;
    record.speedup_spread = speedup_spread;
    record.vendor_ns = plan.vendor_ns;
    record.plan_ns = plan.plan_ns;
    record.when_unix_s = unix_seconds();
    return cache_->plans().put(key_of(call, plan.problem), record);
  }

  Status withdraw_plan(const TunedCall& call, const Problem& problem) override {
    const PlanKey key = key_of(call, problem);
    std::optional<PlanRecord> record = TRIODE_TRY(cache_->plans().get(key));
    if (!record) return {};
    record->is_withdrawn = true;
    record->when_unix_s = unix_seconds();
    return cache_->plans().put(key, *record);
  }

  ModelStore* models() override { return &cache_->models(); }
  ArtifactStore* artifacts() override { return &cache_->artifacts(); }

 private:
  static PlanKey key_of(const TunedCall& call, const Problem& problem) {
    return {.device = device_of(call.target),
            .problem = problem,
            .vendor = {.build_id = call.call.identity, .symbol = call.call.symbol},
            .threads = problem.threads,
            .validity = validity_of(call.target)};
  }

  const std::unique_ptr<Cache> cache_;
};

class NoTrials final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return {}; }
  Status record(const Target&, const Problem&, const Space&, std::vector<ConfigTrial>) override {
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<TrialLog>> open_stored_trials(const std::string& path, SyncLevel sync) {
  auto cache = TRIODE_TRY(Cache::open(path, {.sync = sync}));
  return std::unique_ptr<TrialLog>(std::make_unique<StoredTrials>(std::move(cache)));
}

std::unique_ptr<TrialLog> no_stored_trials() {
  return std::make_unique<NoTrials>();
}

}  // namespace triode::tuner
