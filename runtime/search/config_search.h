// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/config.h"
#include "core/device.h"
#include "core/measurement.h"
#include "core/outcome.h"
#include "core/space.h"
#include "core/status.h"
#include "runtime/search/checked_operands.h"

namespace triode {

struct SearchOptions {
  std::chrono::nanoseconds budget = std::chrono::seconds(4);  // wall time; more tries more configs
  bool exhaustive = false;  // try every legal config, whatever the budget
  std::uint64_t seed = 1;   // of the random samples and mutations
  int finalists = 24;       // configs re-timed at the end; more is surer and slower
  // Asked between configs and between rounds of the finals, on the searching thread; true ends the
  // search at once with what it has, and is not asked again. Empty: never.
  std::function<bool()> should_stop;
};

// What a search saw.
struct SearchStats {
  std::int64_t tried = 0;
  std::int64_t known_starts = 0;  // starts that came from the cache
  std::map<OutcomeKind, std::int64_t> outcomes;
  std::vector<std::string> failures;  // config and reason of the first few that did not end ok
  std::vector<double> random_ns;      // quick times of the random samples that ended ok
  std::chrono::nanoseconds spent{};
};

struct RankedConfig {
  Config config;
  double median_ns = 0;            // per call, over `samples_ns`; the quick time if there are none
  std::vector<double> samples_ns;  // of the finals; none if the search was stopped before them, or
                                   // there was no memory for any
};

struct SearchResult {
  std::vector<RankedConfig> finalists;  // best first, at least one
  std::vector<Config> tried;            // every config that ended ok, in the order tried
  std::vector<Trial> trials;  // every config tried, in that order; of finalists, the final samples
  SearchStats stats;
};

// The fastest config of the space that can be found in the budget. `starts` are tried first, then
// random samples, then the best ones with one or two parameters changed; at last the finalists are
// re-timed in turns, half of them dropped after each stage. A config is timed only after its result
// was right. The same seed and the same times give the same choice. kUnsupported if no config ended
// ok; the message holds the first failures. kUnavailable if it was stopped before one did.
Result<SearchResult> search_configs(Device& device, const Problem& problem, const Space& space,
                                    std::span<const Config> starts, CheckedOperands& checked,
                                    const SearchOptions& options, const Clock& clock);

// The configs with their parameter `threads` at `threads` and `split` at each of its values, as far
// as they are legal in the space: where the search on several threads begins.
std::vector<Config> spread_over_threads(const Space& space, std::span<const Config> configs,
                                        int threads);

}  // namespace triode
