// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_contest.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/measurement.h"

namespace triode::bench {
namespace {

constexpr size_t kParts = 10;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Status write_all(CacheContestant& contestant, const CacheWorkload& workload,
                 const CacheOptions& options, CacheFigures& figures) {
  for (std::int64_t at = 0; at < workload.size(); at += options.batch) {
    // Made before the clock starts.
    const auto trials = workload.batch(at, std::min(at + options.batch, workload.size()));
    const auto begin = std::chrono::steady_clock::now();
    TRIODE_TRY(contestant.write(trials));
    figures.batch_s.push_back(seconds_since(begin));
  }
  return {};
}

Status open_again(CacheContestant& contestant, const CacheWorkload& workload,
                  const CacheOptions& options, CacheFigures& figures) {
  const SampleKey first = workload.trial(workload.size() / 2).key;
  for (int i = 0; i < options.openings; ++i) {
    contestant.close();
    const auto begin = std::chrono::steady_clock::now();
    TRIODE_TRY(contestant.open());
    TRIODE_TRY(contestant.get(first));
    figures.opening_ms.push_back(1e3 * seconds_since(begin));
  }
  return {};
}

// Every look-up twice, in the same order: the first time warms.
Status look_up(CacheContestant& contestant, const CacheWorkload& workload,
               const CacheOptions& options, CacheFigures& figures) {
  std::vector<KeyedTrial> wanted;
  const std::vector<std::int64_t> numbers = workload.draw(options.gets);
  wanted.reserve(numbers.size());
  for (const std::int64_t number : numbers) wanted.push_back(workload.trial(number));
  for (const bool is_timed : {false, true}) {
    for (const KeyedTrial& trial : wanted) {
      const auto begin = std::chrono::steady_clock::now();
      TRIODE_TRY(contestant.get(trial.key));
      if (is_timed) figures.get_us.push_back(1e6 * seconds_since(begin));
    }
  }
  return {};
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = share * static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(rank)];
}

double spread_of_parts(const CacheFigures& figures) {
  std::vector<double> rates;
  const size_t size = std::max<size_t>(1, figures.batch_s.size() / kParts);
  for (size_t at = 0; at + size <= figures.batch_s.size(); at += size) {
    const auto begin = figures.batch_s.begin() + static_cast<std::ptrdiff_t>(at);
    rates.push_back(1 / std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(size), 0.0));
  }
  return spread_of(rates);
}

}  // namespace

Result<CacheFigures> measure_cache(CacheContestant& contestant, const CacheWorkload& workload,
                                   const CacheOptions& options,
                                   const std::function<void(const std::string&)>& progress) {
  CacheFigures figures;
  figures.name = contestant.name();
  figures.batch_records = options.batch;
  TRIODE_TRY(contestant.open());
  progress(figures.name + ": writing " + std::to_string(workload.size()) + " records");
  TRIODE_TRY(write_all(contestant, workload, options, figures));
  progress(figures.name + ": compacting, opening, looking up");
  TRIODE_TRY(contestant.compact());
  TRIODE_TRY(open_again(contestant, workload, options, figures));
  figures.disk_bytes = contestant.disk_bytes();
  TRIODE_TRY(look_up(contestant, workload, options, figures));
  contestant.close();
  return figures;
}

CacheSummary summarize(const CacheFigures& figures, std::int64_t records) {
  CacheSummary summary;
  const double total_s = std::accumulate(figures.batch_s.begin(), figures.batch_s.end(), 0.0);
  summary.records_per_s = static_cast<double>(records) / total_s;
  summary.records_per_s_spread = spread_of_parts(figures);
  summary.get_p50_us = percentile(figures.get_us, 0.5);
  summary.get_p99_us = percentile(figures.get_us, 0.99);
  summary.get_spread = spread_of(figures.get_us);
  summary.open_ms = percentile(figures.opening_ms, 0.5);
  summary.open_spread = spread_of(figures.opening_ms);
  summary.bytes_per_record = static_cast<double>(figures.disk_bytes) / static_cast<double>(records);
  return summary;
}

}  // namespace triode::bench
