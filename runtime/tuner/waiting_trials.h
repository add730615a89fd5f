// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "cache/keyed_trial.h"
#include "core/status.h"

namespace triode::tuner {

// Trials that are to be written, and wait in memory while nobody takes them: on a full disk. They
// are some megabytes at most; beyond, the oldest go. Not thread-safe.
class WaitingTrials {
 public:
  // Writes all of the trials, or none and says why; kInvalidArgument for one that it never takes.
  using Append = std::function<Status(std::span<const KeyedTrial>)>;

  void add(KeyedTrial trial) { trials_.push_back(std::move(trial)); }
  bool is_empty() const { return trials_.empty(); }

  // Whether there is something to write, and after a write that failed enough for another attempt.
  bool is_due() const { return !trials_.empty() && trials_.size() >= next_attempt_; }

  Status write(const Append& append);

 private:
  std::vector<KeyedTrial> trials_;
  size_t next_attempt_ = 0;  // when there are so many
};

}  // namespace triode::tuner
