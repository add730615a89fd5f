// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_log.h"

#include <chrono>
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
    const auto found = cache_->measurements().find(target, problem);
    std::vector<Trial> trials;
    if (!found.ok()) return trials;  // as if nothing were known
    for (const StoredTrial& stored : found->trials) {
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
                std::vector<Trial> trials) override {
    std::vector<ConfigTrial> records;
    for (Trial& trial : trials) {
      records.push_back({trial.config, {trial.outcome, trial.measurement, unix_seconds()}});
    }
    return cache_->measurements().put_all(target, problem, space, records);
  }

  const ModelStore* models() override { return &cache_->models(); }

 private:
  const std::unique_ptr<Cache> cache_;
};

class NoTrials final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return {}; }
  Status record(const Target&, const Problem&, const Space&, std::vector<Trial>) override {
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
