// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/status.h"
#include "learner/model/cost_model.h"

namespace triode {

enum class PolicyKind : uint8_t {
  kGreedy,    // the best scores
  kLcb,       // the best that might be: score - doubt * stddev
  kThompson,  // the best of one plausible world, drawn anew for every slot
  kReserved,  // greedy, but the last slots go to other mechanism classes while those might be
              // better
};
std::string_view to_string(PolicyKind kind);  // "greedy", "lcb", "thompson", "reserved"
Result<PolicyKind> parse_policy_kind(std::string_view text);

struct PolicyOptions {
  PolicyKind kind = PolicyKind::kReserved;
  size_t batch = 3;           // configs to propose; more finds more and costs more trials
  size_t reserved_slots = 1;  // of a batch, for other mechanism classes; needs a batch of two
  double doubt = 1.0;         // standard deviations of credit a candidate gets; more explores more
  // Standard deviations by which another mechanism class may lie behind the best and still get a
  // reserved slot; more keeps exploring longer.
  double reserve_doubt = 2.0;
  // Candidates whose basis differs by less than this share of its length from one already in the
  // batch wait behind the others: timing near-twins teaches little. 0 is off. Those that do not
  // differ at all do not wait: the model cannot tell them apart.
  double least_distance = 0.02;
  double most_failure = 0.5;  // candidates likelier to fail than this are left out
  double noise = 0.0025;      // of a measured ln time: gains below it cannot be seen
};

// Something of the task that was timed before.
struct Tried {
  uint32_t index = 0;              // in the configs that were ranked
  std::optional<double> log_time;  // ln seconds; empty if it did not run
};

struct Proposal {
  std::vector<uint32_t> picks;  // positions in Ranking::candidates, most wanted first
  // Expected ln time saved by timing the picks, over the best tried so far; infinite if none was.
  double expected_gain = 0;
  bool worthwhile = true;  // false: the gain is below the noise, stop here
};

// The next configs to time. `ranking` holds the scores with what `tried` taught already in them.
// The same ranking, state, options and seed give the same proposal.
Proposal propose(const Ranking& ranking, const OnlineState& online, std::span<const Tried> tried,
                 const PolicyOptions& options, Random& random);

}  // namespace triode
