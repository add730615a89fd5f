// SPDX-License-Identifier: Apache-2.0
#include "cache/problem_summary.h"

#include <algorithm>

namespace triode {
namespace {

SummaryPart& part_for(const SampleKey& key, const TrialRecord& record,
                      std::vector<SummaryPart>& parts) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const SummaryPart& part) {
    return part.outcome == record.outcome.kind && part.toolchain == key.validity.toolchain &&
           part.origin == record.origin;
  });
  if (found != parts.end()) return *found;
  SummaryPart& part = parts.emplace_back();
  part.toolchain = key.validity.toolchain;
  part.origin = record.origin;
  part.outcome = record.outcome.kind;
  return part;
}

// Whether `time` is known, and less than `best` if that is.
bool improves(double time, double best) {
  return time > 0 && (best == 0 || time < best);
}

bool matches(const TrialFilter& filter, const SummaryPart& part) {
  if (filter.outcome && *filter.outcome != part.outcome) return false;
  if (filter.origin && *filter.origin != part.origin) return false;
  return part.toolchain.find(filter.toolchain) != std::string::npos;
}

}  // namespace

void add_to_parts(const SampleKey& key, const TrialRecord& record,
                  std::vector<SummaryPart>& parts) {
  SummaryPart& part = part_for(key, record, parts);
  ++part.configs;
  part.latest_unix_s = std::max(part.latest_unix_s, record.when_unix_s);
  if (!record.outcome.ok() || record.measurement.count == 0) return;
  const double time = record.measurement.median_ns;
  if (key.config.starts_with("vendor ")) {
    if (improves(time, part.vendor_ns)) part.vendor_ns = time;
    return;
  }
  if (improves(time, part.best_ns)) {
    part.best_ns = time;
    part.best_config = key.config;
  }
  if (record.vendor && record.vendor->median_ns > 0 && improves(time, part.paired_ns)) {
    part.paired_ns = time;
    part.paired_vendor_ns = record.vendor->median_ns;
    part.paired_speedup = record.vendor->speedup;
  }
}

ProblemSummary summary_of(const std::vector<SummaryPart>& parts, const TrialFilter& filter) {
  ProblemSummary summary;
  double vendor_alone_ns = 0;
  double paired_ns = 0;
  for (const SummaryPart& part : parts) {
    if (!matches(filter, part)) continue;
    summary.configs += part.configs;
    if (part.outcome != OutcomeKind::kOk) summary.failed += part.configs;
    summary.latest_unix_s = std::max(summary.latest_unix_s, part.latest_unix_s);
    if (improves(part.vendor_ns, vendor_alone_ns)) vendor_alone_ns = part.vendor_ns;
    if (improves(part.best_ns, summary.best_ns)) {
      summary.best_ns = part.best_ns;
      summary.best_config = part.best_config;
    }
    if (improves(part.paired_ns, paired_ns)) {
      paired_ns = part.paired_ns;
      summary.vendor_ns = part.paired_vendor_ns;
      summary.speedup = part.paired_speedup;
    }
  }
  if (summary.vendor_ns == 0) summary.vendor_ns = vendor_alone_ns;
  if (summary.speedup == 0 && summary.best_ns > 0) {
    summary.speedup = summary.vendor_ns / summary.best_ns;
  }
  return summary;
}

}  // namespace triode
