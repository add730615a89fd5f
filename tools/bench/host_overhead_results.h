// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/target.h"
#include "tools/bench/cache_misses.h"
#include "tools/bench/call_trace.h"
#include "tools/bench/callgrind_costs.h"
#include "tools/bench/preload_startup.h"
#include "tools/bench/results.h"

namespace triode::bench {

// The contestants: the vendor's function itself, and Triode in front of it.
inline constexpr const char* kDirect = "direct";
inline constexpr const char* kOff = "off";
inline constexpr const char* kObserve = "observe";
inline constexpr const char* kHitVendor = "hit_vendor";  // the call is known, without a plan
inline constexpr const char* kHitOurs = "hit_ours";      // a plan answers

// One way to make a call, timed in turns with the others.
struct ContestantResult {
  Series series;
  std::string answered_by;  // see answering_code()
  CacheMisses misses;
};

// One shape, called on a number of threads at once.
struct OverheadShape {
  Problem problem;
  int threads = 1;
  std::string plan;                           // config of hit_ours
  std::string plan_remark;                    // why hit_ours was not timed; empty if it was
  std::vector<ContestantResult> contestants;  // direct first
  std::int64_t rejected_rounds = 0;
  bool is_undisturbed = true;  // false: rounds in which the thread lost its core had to count
};

// Instructions of a call that Triode answers. A remark says why something was not counted.
struct HitInstructions {
  std::vector<CallSteps> stepped;  // call by call
  std::string stepped_remark;
  std::optional<CallgrindCosts> callgrind;
  std::string callgrind_remark;
};

// All a run of the benchmark found.
struct HostOverheadResults {
  Target target;
  double clock_mhz_begin = 0;  // as the system reports it; 0 if it does not
  double clock_mhz_end = 0;
  std::uint64_t seed = 0;
  double budget_s = 0;
  std::string library;
  PeerUsed vendor;
  std::vector<OverheadShape> shapes;
  std::string misses_remark;  // why cache misses were not counted; empty if they were
  HitInstructions instructions;
  std::optional<PreloadStartup> startup;
  std::string startup_remark;
};

}  // namespace triode::bench
