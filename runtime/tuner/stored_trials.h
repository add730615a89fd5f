// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "cache/keyed_trial.h"
#include "cache/plan_store.h"
#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/waiting_trials.h"

namespace triode::tuner {

// The trials of a cache, whose one writer this is as soon as it can be. While another process
// writes there, such as `triode cache compact`, what is recorded goes to the cache's spool, and is
// read from the cache as it was; what neither takes, on a full disk, waits in memory, bounded.
class StoredTrials final : public TrialLog {
 public:
  StoredTrials(std::string path, SyncLevel sync) : path_(std::move(path)), sync_(sync) {}
  ~StoredTrials() override;

  // Becomes the writer, or fails like Cache::open: to be called again, begin_search() does, where
  // may_pass() says so.
  Status open();
  // Whether the reason goes away by itself: the other writer ends, somebody makes room.
  static bool may_pass(const Status& status);

  Status begin_search() override;
  std::vector<Trial> known(const Target& target, const Problem& problem,
                           const Space& space) override;
  std::vector<Trial> known_since(const Target& target, const Problem& problem, const Space& space,
                                 int64_t unix_s) override;
  std::vector<Config> hints(const Target& target, const Problem& problem, const Space& space,
                            size_t most) override;
  std::vector<Problem> problems(const Target& target, size_t most) override;
  Status record(const Target& target, const Problem& problem, const Space& space,
                std::vector<ConfigTrial> trials) override;
  Status flush() override;
  Status keep_plan(const TunedCall& call, const StoredPlan& plan, double speedup_spread) override;
  Status withdraw_plan(const TunedCall& call, const Problem& problem) override;
  ModelStore* models() override;
  ArtifactStore* artifacts() override;

 private:
  // A plan that was decided, or withdrawn.
  struct PlanChange {
    PlanKey key;
    std::optional<PlanRecord> record;  // empty: withdrawn
    int64_t when_unix_s = 0;
  };

  // The writer's, else the reader's; null: there is none to read.
  Cache* cache() const;
  Status append(std::span<const KeyedTrial> trials);
  Status write_waiting();
  Status change_plan(PlanChange change);
  std::string artifact_of(const PlanKey& plan, const std::string& config);

  const std::string path_;
  const SyncLevel sync_;
  std::unique_ptr<Cache> reader_;  // until there is a writer, and for those who hold its models
  std::unique_ptr<Cache> writer_;
  std::atomic<Cache*> opened_ = nullptr;  // writer_, for any thread

  WaitingTrials waiting_;  // neither in the cache nor in its spool

  std::mutex plans_mutex_;
  std::vector<PlanChange> later_;  // under plans_mutex_; for when there is a writer
};

}  // namespace triode::tuner
