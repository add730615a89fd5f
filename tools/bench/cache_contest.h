// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/cache_contestant.h"
#include "tools/bench/cache_options.h"
#include "tools/bench/cache_workload.h"

namespace triode::bench {

// What one contestant was measured to do. Raw samples, in the order they were taken.
struct CacheFigures {
  std::string name;
  std::vector<double> batch_s;  // wall time of each batch written
  std::int64_t batch_records = 0;
  std::vector<double> get_us;      // of each look-up, with everything warm
  std::vector<double> opening_ms;  // from nothing to the first answer
  std::int64_t disk_bytes = 0;     // after compacting
};

// The figures of `triode bench cache --json` under "summary".
struct CacheSummary {
  double records_per_s = 0;         // all records over all time, the last batch's sync included
  double records_per_s_spread = 0;  // of the tenths of the run
  double get_p50_us = 0;
  double get_p99_us = 0;
  double get_spread = 0;
  double open_ms = 0;
  double open_spread = 0;
  double bytes_per_record = 0;
};

// Writes the workload, compacts, reopens and looks up. Times what is timed on this thread.
Result<CacheFigures> measure_cache(CacheContestant& contestant, const CacheWorkload& workload,
                                   const CacheOptions& options,
                                   const std::function<void(const std::string&)>& progress);

CacheSummary summarize(const CacheFigures& figures, std::int64_t records);

}  // namespace triode::bench
