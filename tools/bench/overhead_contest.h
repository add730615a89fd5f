// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "tools/bench/cache_misses.h"
#include "tools/bench/host_overhead_results.h"
#include "tools/bench/overhead_hosts.h"

namespace triode::bench {

struct OverheadContestOptions {
  int threads = 1;         // that call at once, each on its own operands; the first is timed
  int rounds = 501;        // samples of each contestant that count; more is steadier
  std::uint64_t seed = 1;  // of the operands
};

// Times the vendor's function called directly and through each host, in turns, after checking that
// every result is right and that it was computed by whom it should be. A plan that does not answer
// its call is left out, with a remark; anything else that is wrong is an error. Counts cache misses
// if `counters` is not null.
Result<OverheadShape> hold_overhead_contest(const Problem& problem, void* vendor_gemm,
                                            const std::vector<OverheadHost>& hosts,
                                            const OverheadPlan& plan,
                                            const OverheadContestOptions& options,
                                            const CacheMissCounters* counters);

}  // namespace triode::bench
