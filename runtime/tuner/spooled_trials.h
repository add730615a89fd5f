// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/tuner/trial_log.h"
#include "runtime/tuner/waiting_trials.h"

namespace triode::tuner {

// The trials of a tuner inside a program, where no database may be opened: they are remembered
// while this lives, and left in the cache's spool, which the next writer takes in. Knows nothing of
// earlier ones. What the spool does not take waits in memory.
class SpooledTrials final : public TrialLog {
 public:
  // `path` is the cache's, which need not be there.
  explicit SpooledTrials(std::string path) : path_(std::move(path)) {}
  ~SpooledTrials() override;

  std::vector<Trial> known(const Target& target, const Problem& problem,
                           const Space& space) override;
  Status record(const Target& target, const Problem& problem, const Space& space,
                std::vector<ConfigTrial> trials) override;
  Status flush() override;

 private:
  const std::string path_;
  std::map<std::string, std::vector<Trial>> known_;  // by target and problem
  WaitingTrials waiting_;                            // not in the spool yet
};

}  // namespace triode::tuner
