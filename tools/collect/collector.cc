// SPDX-License-Identifier: Apache-2.0
#include "tools/collect/collector.h"

#include <algorithm>
#include <memory>
#include <set>

#include "core/key.h"
#include "core/random.h"
#include "runtime/host/vendor_checked_operands.h"
#include "tools/collect/collected_problems.h"
#include "tools/collect/problem_trials.h"

namespace triode::collect {
namespace {

// A quarter of the configs are neighbours of the best: what tells the best from the second best is
// where a model is asked most, and random configs are rarely near.
constexpr size_t kNeighbourShare = 4;
constexpr size_t kParents = 4;
// Neighbours that are illegal or known, in a row, before there are taken to be no more.
constexpr int kMostRepeats = 200;
// Of a hundred configs timed with a spread of 1 %, the best one is among so many.
constexpr size_t kTimedAgain = 12;

}  // namespace

Status Collector::collect(const Problem& problem, const VendorKernel& vendor) {
  ++counts_.problems;
  const Space space = TRIODE_TRY(device_.enumerate(problem));
  std::set<std::string> known;
  const FoundTrials found = TRIODE_TRY(store_.find(device_.target(), problem));
  for (const StoredTrial& trial : found.trials) known.insert(trial.config);
  counts_.known += std::min(known.size(), options_.configs);
  if (known.size() >= options_.configs) return {};
  const size_t wanted = options_.configs - known.size();
  const auto checked = TRIODE_TRY(VendorCheckedOperands::make(problem, options_.seed, vendor));
  ProblemTrials trials(device_, problem, *checked, vendor, options_.trial, clock_);
  const auto try_new = [&](const Config& config) {
    if (trials.trials().size() >= wanted || !known.insert(space.to_string(config)).second) {
      return false;
    }
    trials.try_config(config);
    return true;
  };
  const size_t drawn = options_.configs - options_.configs / kNeighbourShare;
  for (const Config& config : collected_configs(problem, space, drawn, options_.seed)) {
    try_new(config);
  }
  Random random(hash_of(problem) + options_.seed + known.size());
  for (int repeats = 0; trials.trials().size() < wanted && repeats < kMostRepeats; ++repeats) {
    const std::vector<size_t> fastest = trials.fastest();
    if (fastest.empty()) break;
    const size_t parent = fastest[random.below(std::min(kParents, fastest.size()))];
    const Config next = neighbour(space, trials.trials()[parent].config, random);
    if (space.is_legal(next) && try_new(next)) repeats = 0;
  }
  // Where nothing ran, or the neighbours are used up.
  for (const Config& config : collected_configs(problem, space, options_.configs, options_.seed)) {
    try_new(config);
  }
  trials.time_best_again(kTimedAgain);
  return keep(problem, space, trials.trials());
}

Status Collector::keep(const Problem& problem, const Space& space,
                       const std::vector<ConfigTrial>& trials) {
  counts_.measured += trials.size();
  counts_.failed += static_cast<size_t>(std::ranges::count_if(
      trials, [](const ConfigTrial& trial) { return !trial.record.outcome.ok(); }));
  return store_.put_all(device_.target(), problem, space, trials);
}

}  // namespace triode::collect
