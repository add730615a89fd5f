// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/config.h"
#include "core/measurement.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "runtime/host/plan_file.h"
#include "runtime/tuner/publish_rule.h"
#include "runtime/tuner/ranker.h"
#include "runtime/tuner/trial_runner.h"

namespace triode::tuner {

struct ProblemSearchOptions {
  std::chrono::nanoseconds budget = std::chrono::milliseconds(600);  // wall time for one problem
  size_t batch = 16;                                                 // configs asked for at once
  size_t most_trials = 400;
  size_t finalists = 3;     // raced against the vendor
  double race_share = 0.1;  // of the budget, each race
  PublishRule rule;
  // Says what code configs become, before any of them is tried, as emit_digests() does: a config
  // whose code was tried already is passed over. So is one that is kUnavailable, which no trial
  // tells of; if all of them are, the search ends with that. Empty: every config is tried.
  std::function<std::vector<Result<uint64_t>>(std::span<const Config>)> emit;
  // Tried first where nothing is known of this very target: what did well with another toolchain or
  // driver. They are trials like any other, and no more is believed of them.
  std::vector<Config> hints;
  // Asked between trials; true ends the search: kUnavailable.
  std::function<bool()> should_stop;
  // Told of every trial at once, before the next begins.
  std::function<void(const Trial&)> on_trial;
  // Told of every race that ended ok.
  std::function<void(const Config&, const PairMeasurement&)> on_race;
};

// How the search for one problem ended.
struct SearchedProblem {
  std::optional<StoredPlan> plan;  // none: the vendor stays
  double speedup_spread = 0;       // of the plan's race
  std::string remark;              // why it stays
  size_t trials = 0;
  size_t twins = 0;            // configs passed over, since their code was tried
  bool was_disturbed = false;  // no race was fair: the machine was busy, so ask again later
};

// Rank, try, race, confirm. `known` are trials of earlier searches on this very target: what
// crashed or hung there is not tried again, and what ran well is tried first. The same answers of
// runner and ranker at the same times give the same plan.
Result<SearchedProblem> search_problem(const TunedCall& call, const Problem& problem,
                                       const Space& space, std::span<const Trial> known,
                                       Ranker& ranker, TrialRunner& runner, const Clock& clock,
                                       const ProblemSearchOptions& options);

}  // namespace triode::tuner
