// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "cache/measurement_store.h"
#include "core/clock.h"
#include "core/device.h"
#include "core/problem.h"
#include "runtime/search/checked_operands.h"

namespace triode::collect {

// Tries configs of one problem, one after another, each beside the vendor's kernel. What goes wrong
// with a config is its outcome. Everything passed in must outlive this.
class ProblemTrials {
 public:
  // `trial` is the time of one trial, at most, unless a call takes so long that fewer than the
  // least number of rounds fit.
  ProblemTrials(Device& device, const Problem& problem, CheckedOperands& checked,
                const VendorKernel& vendor, std::chrono::nanoseconds trial, const Clock& clock)
      : device_(device),
        problem_(problem),
        checked_(checked),
        vendor_(vendor),
        trial_(trial),
        clock_(clock) {}

  // Right first, then timed. A config whose first call is far slower than the best one's gets
  // fewer rounds where calls are long: that it is slow is all that matters.
  void try_config(const Config& config);

  // Times the `count` best again, longer, and keeps that time alone: the best of many short timings
  // is one that happened to come out short.
  void time_best_again(size_t count);

  // Positions in trials() of those that ended ok, fastest first.
  std::vector<size_t> fastest() const;
  const std::vector<ConfigTrial>& trials() const { return trials_; }

 private:
  TrialRecord run_and_check(const Artifact& artifact);
  void time(const Artifact& artifact, const TimingOptions& options, TrialRecord& record);

  Device& device_;
  const Problem& problem_;
  CheckedOperands& checked_;
  const VendorKernel& vendor_;
  std::chrono::nanoseconds trial_;
  const Clock& clock_;
  std::vector<ConfigTrial> trials_;
  std::chrono::nanoseconds first_call_{};                  // of the last config tried
  std::optional<std::chrono::nanoseconds> shortest_call_;  // of all
};

}  // namespace triode::collect
