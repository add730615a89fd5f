// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cache/model_store.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/settings.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode::tuner {

// Where trials are kept. One thread.
class TrialLog {
 public:
  virtual ~TrialLog() = default;

  // What earlier searches saw of this problem on this very target, as far as the space still holds
  // it.
  virtual std::vector<Trial> known(const Target& target, const Problem& problem,
                                   const Space& space) = 0;

  // Problems of which trials on this target are known, at most so many.
  virtual std::vector<Problem> problems(const Target&, size_t) { return {}; }

  // On the disk when it returns. After an error the trials are lost and tuning goes on.
  virtual Status record(const Target& target, const Problem& problem, const Space& space,
                        std::vector<Trial> trials) = 0;

  // The models beside the trials; null if nothing is kept. As long as this lives.
  virtual const ModelStore* models() { return nullptr; }
};

// In the cache at `path`, whose one writer this becomes. Fails like Cache::open.
Result<std::unique_ptr<TrialLog>> open_stored_trials(const std::string& path, SyncLevel sync);

// Keeps nothing.
std::unique_ptr<TrialLog> no_stored_trials();

}  // namespace triode::tuner
