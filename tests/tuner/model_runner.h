// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/outcome.h"
#include "core/space.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/trial_runner.h"
#include "tests/runtime/fake_device.h"

namespace triode::tuner {

// A space with the parameters x, 0 to 9, and y, 0 to 3.
Space model_space();

// Trials that take no worker: a call takes 1 us for each step that x and y are away from 7 and 3,
// and 1 us more, and the vendor takes vendor_us. A trial takes 1 ms of the clock.
class ModelRunner final : public TrialRunner {
 public:
  explicit ModelRunner(FakeClock& clock) : clock_(clock) {}

  Result<std::chrono::nanoseconds> begin(const TunedCall& call) override;
  TrialResult try_config(const std::string& config) override;
  CheckResult check_config(const std::string& config) override;
  RaceResult race(const std::string& config, std::chrono::nanoseconds budget) override;

  double vendor_us = 8;
  double spread = 0.005;                         // of races
  std::map<int32_t, OutcomeKind> outcomes_by_x;  // of trials that do not end well
  std::map<int32_t, OutcomeKind> race_outcomes_by_x;
  int disturbed_races = 0;         // the next so many are unstable
  double first_race_flatters = 1;  // the first race of each config is off by this
  int flattered_races = 1;         // and the next ones, up to so many
  Status refuses;                  // begin() fails with it
  std::vector<std::string> tried, checked, raced;
  int begun = 0;

 private:
  FakeClock& clock_;
};

// Proposes every config in the order of the space. Is sure of `chosen` alone.
class GridRanker final : public Ranker {
 public:
  std::vector<Config> propose(const Problem& problem, const Space& space,
                              std::span<const Trial> tried, size_t count) override;
  std::optional<Config> choose(const Problem&, const Space& space,
                               std::span<const Trial>) override {
    return chosen.empty() ? std::nullopt : std::optional(space.parse(chosen).value());
  }
  void learn(const Problem& problem, const Space& space, const Trial& trial) override;
  void review(const Problem&, const Space&, std::span<const Trial> known) override {
    reviewed += known.size();
  }
  bool reflect(const Clock&, std::chrono::nanoseconds) override {
    if (reflections == to_reflect) return false;
    ++reflections;
    return true;
  }
  double expected_saving(const Problem&) override { return 0.5; }

  std::vector<Trial> learnt;
  size_t reviewed = 0;  // trials
  std::string chosen;
  int reflections = 0, to_reflect = 0;  // slices that were taken, and that there are in all
};

}  // namespace triode::tuner
