// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cache/measurement_store.h"
#include "cache/trial_filter.h"
#include "core/status.h"

namespace triode::cache_tool {

// What is known of one problem on one device, over all its configs and validities.
struct ProblemSummary {
  std::string device;  // its whole text
  std::string problem;
  int64_t configs = 0;  // one for each config and validity
  int64_t failed = 0;
  double best_ns = 0;  // 0: nothing was timed
  std::string best_config;
  double vendor_ns = 0;  // of the best pair that was timed with the vendor; 0: none was
  double speedup = 0;    // over the vendor; 0: not known
  int64_t latest_unix_s = 0;

  void add(const SampleKey& key, const TrialRecord& record);
};

// Calls `visit` for each problem that matches, in the order of the keys, until it returns false.
// Returns how many damaged records were passed.
Result<int64_t> for_each_problem(const MeasurementStore& store, const TrialFilter& filter,
                                 const std::function<bool(const ProblemSummary&)>& visit);

}  // namespace triode::cache_tool
