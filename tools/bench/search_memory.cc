// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/search_memory.h"

namespace triode::bench {
namespace {

// Enough that the true best is among them although their times are noisy; few enough that trying
// them leaves most of the shortest usual budget to what is new.
constexpr std::size_t kMostKnown = 36;

}  // namespace

Result<std::vector<Config>> SearchMemory::best_known(const Problem& problem, const Space& space) {
  const FoundTrials found = TRIODE_TRY(store_.find(target_, problem));
  damaged_ += found.damaged;
  std::vector<Config> best;
  for (const StoredTrial& trial : found.trials) {
    if (best.size() == kMostKnown || !trial.record.outcome.ok()) break;
    // A config of an older space is no error: the search finds new ones.
    if (const Result<Config> config = space.parse(trial.config); config.ok()) {
      best.push_back(*config);
    }
  }
  return best;
}

Status SearchMemory::keep(const Problem& problem, const Space& space, std::span<const Trial> trials,
                          std::int64_t when_unix_s) {
  std::vector<ConfigTrial> records;
  records.reserve(trials.size());
  for (const Trial& trial : trials) {
    records.push_back({trial.config, {trial.outcome, trial.measurement, when_unix_s}});
  }
  return store_.put_all(target_, problem, space, records);
}

}  // namespace triode::bench
