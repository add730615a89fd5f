// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_log.h"

#include <utility>

#include "runtime/tuner/stored_trials.h"

namespace triode::tuner {
namespace {

class NoTrials final : public TrialLog {
 public:
  std::vector<Trial> known(const Target&, const Problem&, const Space&) override { return {}; }
  Status record(const Target&, const Problem&, const Space&, std::vector<ConfigTrial>) override {
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<TrialLog>> open_stored_trials(const std::string& path, SyncLevel sync) {
  auto trials = std::make_unique<StoredTrials>(path, sync);
  const Status opened = trials->open();
  if (!opened.ok() && !StoredTrials::may_pass(opened)) return opened;
  return std::unique_ptr<TrialLog>(std::move(trials));
}

std::unique_ptr<TrialLog> no_stored_trials() {
  return std::make_unique<NoTrials>();
}

}  // namespace triode::tuner
