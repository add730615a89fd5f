// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/sample_key.h"
#include "cache/trial_filter.h"
#include "cache/trial_record.h"
#include "core/outcome.h"

namespace triode {

// What is known of one problem on one device, over all its configs and validities.
struct ProblemSummary {
  std::string device = {};  // its whole text
  std::string problem = {};
  int64_t configs = 0;  // one for each config and validity
  int64_t failed = 0;
  double best_ns = 0;  // 0: nothing was timed
  std::string best_config = {};
  // In turns with the fastest config that was timed so, else the vendor's own best; 0: not known.
  double vendor_ns = 0;
  double speedup = 0;  // over it, of that config, else of the best; 0: not known
  int64_t latest_unix_s = 0;

  bool operator==(const ProblemSummary&) const = default;
};

// The share in it of the records of one toolchain, origin and outcome: what a filter can tell
// apart.
struct SummaryPart {
  std::string toolchain = {};
  std::string origin = {};
  OutcomeKind outcome = OutcomeKind::kOk;

  int64_t configs = 0;
  int64_t latest_unix_s = 0;
  double best_ns = 0;  // of those that ended ok and are no vendor's; 0: none was timed
  std::string best_config = {};
  double paired_ns = 0;  // of the fastest that was timed in turns with the vendor; 0: none was
  double paired_vendor_ns = 0;
  double paired_speedup = 0;
  double vendor_ns = 0;  // the least of configs that are the vendor's; 0: none

  bool operator==(const SummaryPart&) const = default;
};

// How a question about problems was answered.
struct SummaryCounts {
  int64_t problems = 0;      // visited
  int64_t records_read = 0;  // of problems whose summary was out of date; the rest cost none
  int64_t damaged = 0;       // of those
};

// Counts a config, with its trials folded, to its part; makes the part if it is the first.
void add_to_parts(const SampleKey& key, const TrialRecord& record, std::vector<SummaryPart>& parts);

// What the parts that match the filter's toolchain, origin and outcome say together; `configs` is 0
// if none does. Device and problem are left empty.
ProblemSummary summary_of(const std::vector<SummaryPart>& parts, const TrialFilter& filter);

}  // namespace triode
