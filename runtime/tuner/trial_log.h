// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cache/artifact_store.h"
#include "cache/measurement_store.h"
#include "cache/model_store.h"
#include "core/config.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/settings.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"
#include "runtime/tuner/trial_runner.h"

namespace triode::tuner {

// Where trials are kept, and what came of them. One thread, but for the plans.
class TrialLog {
 public:
  virtual ~TrialLog() = default;

  // To be called before a search. An error says why what is recorded does not reach the cache yet;
  // tuning goes on.
  virtual Status begin_search() { return {}; }

  // What earlier searches saw of this problem on this very target, as far as the space still holds
  // it.
  virtual std::vector<Trial> known(const Target& target, const Problem& problem,
                                   const Space& space) = 0;

  // Of these, what was tried later than then (seconds since 1970); all, where no dates are kept.
  virtual std::vector<Trial> known_since(const Target& target, const Problem& problem,
                                         const Space& space, int64_t /*unix_s*/) {
    return known(target, problem, space);
  }

  // Configs that did well on this problem with another toolchain or driver of the same device, best
  // first, at most so many: what to try first, and nothing to believe.
  virtual std::vector<Config> hints(const Target&, const Problem&, const Space&, size_t) {
    return {};
  }

  // Problems of which trials on this target are known, at most so many.
  virtual std::vector<Problem> problems(const Target&, size_t) { return {}; }

  // Survives the end of this process when it returns, dated now. After an error tuning goes on: the
  // trials are written with later ones, or lost where there is nobody to keep them.
  virtual Status record(const Target& target, const Problem& problem, const Space& space,
                        std::vector<ConfigTrial> trials) = 0;
  // The end of a search: all that was recorded is on the disk, as far as the sync level asks.
  virtual Status flush() { return {}; }

  // What `triode cache` shows and exports; programs get their plans from the PlanBook. Any thread.
  // Replaces the call's plan. The spread is that of the speedup.
  virtual Status keep_plan(const TunedCall&, const StoredPlan&, double /*speedup_spread*/) {
    return {};
  }
  // Marks the call's plan, if there is one.
  virtual Status withdraw_plan(const TunedCall&, const Problem&) { return {}; }

  // The models and the code beside the trials; null if nothing is kept. As long as this lives.
  virtual ModelStore* models() { return nullptr; }
  virtual ArtifactStore* artifacts() { return nullptr; }
};

// In the cache at `path`, whose one writer this becomes, before a later search if another process
// writes to it now or its disk is full: trials wait in the spool until then. For any other reason
// fails like Cache::open.
Result<std::unique_ptr<TrialLog>> open_stored_trials(const std::string& path, SyncLevel sync);

// Keeps nothing.
std::unique_ptr<TrialLog> no_stored_trials();

}  // namespace triode::tuner
