// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/clock.h"
#include "core/config.h"
#include "core/device.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "runtime/host/plan_source.h"

namespace triode {

struct LocalSearchOptions {
  // Wall time for one problem, about; more tries more configs and times them longer.
  std::chrono::nanoseconds budget = std::chrono::milliseconds(400);
  // A budget shorter than so many of the vendor's calls is raised to that; more tries more configs
  // on problems whose calls take long, and takes proportionally longer.
  int least_calls = 64;
  // A plan must be so many times as fast as the vendor, noise deducted. Raising it drops plans that
  // gain little; below 1.03 a plan is hardly worth its memory, and what differs between a timing
  // loop and the program (caches, placement of the operands) may outweigh the gain.
  double min_speedup = 1.03;
  uint64_t seed = 1;  // of the operands' contents and the search's random choices
  // Where a search begins, best guesses first. Empty: x86::promising_configs, for a cpu's space.
  std::function<std::vector<Config>(const Space&, const Problem&)> starts;
};

// Finds plans by searching in this process, on the calling thread: searches the space on operands
// of its own, checked against the vendor's result; races the best against the vendor in interleaved
// pairs; and races the winner once more, since the best of several races was also the luckiest.
// A config that crashes takes the process with it: for tests and benchmarks.
//
// Problems without a product (alpha zero, an empty matrix) and those whose operands take more than
// 1 GiB are left to the vendor. should_stop is asked before each call, so that a search ends after
// the one that is under way.
// The device and the clock must outlive this.
class LocalSearch final : public PlanSource {
 public:
  LocalSearch(Device& device, LocalSearchOptions options, const Clock& clock);

  // Also kInvalidArgument for a problem that is not valid or no vendor's kernel, and
  // kResourceExhausted if there is no memory for the operands.
  Result<std::optional<FoundPlan>> find(const TuningRequest& request,
                                        const std::function<bool()>& should_stop) override;

 private:
  Device& device_;
  const LocalSearchOptions options_;
  const Clock& clock_;
};

}  // namespace triode
