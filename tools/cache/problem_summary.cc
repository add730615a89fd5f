// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/problem_summary.h"

#include <algorithm>
#include <utility>

namespace triode::cache_tool {

void ProblemSummary::add(const SampleKey& key, const TrialRecord& record) {
  ++configs;
  latest_unix_s = std::max(latest_unix_s, record.when_unix_s);
  if (!record.outcome.ok()) {
    ++failed;
    return;
  }
  const double time = record.measurement.median_ns;
  if (record.measurement.count == 0) return;
  if (key.config.starts_with("vendor ")) {
    if (vendor_ns == 0 || time < vendor_ns) vendor_ns = time;
    return;
  }
  if (best_ns != 0 && time >= best_ns) return;
  best_ns = time;
  best_config = key.config;
  if (record.vendor.has_value()) {
    vendor_ns = record.vendor->median_ns;
    speedup = record.vendor->speedup;
  }
}

Result<int64_t> for_each_problem(const MeasurementStore& store, const TrialFilter& filter,
                                 const std::function<bool(const ProblemSummary&)>& visit) {
  ProblemSummary current;
  bool goes_on = true;
  const auto finish = [&] {
    if (current.configs == 0 || !goes_on) return;
    if (current.speedup == 0 && current.vendor_ns > 0 && current.best_ns > 0) {
      current.speedup = current.vendor_ns / current.best_ns;
    }
    goes_on = visit(current);
  };
  const StoreCounts counts =
      TRIODE_TRY(store.scan(filter, [&](const SampleKey& key, const TrialRecord& record) {
        if (key.device != current.device || key.problem != current.problem) {
          finish();
          current = {};
          current.device = key.device;
          current.problem = key.problem;
        }
        if (goes_on) current.add(key, record);
        return goes_on;
      }));
  finish();
  return counts.damaged;
}

}  // namespace triode::cache_tool
