// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "core/measurement.h"
#include "tools/bench/summary.h"

namespace triode::bench {
namespace {

// Linear between the two nearest ranks, as median_of() is.
double half_interquartile_range(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    const double rank = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], rank - static_cast<double>(below));
  };
  return (at(0.75) - at(0.25)) / 2;
}

std::vector<double> differences_of(const std::vector<double>& more,
                                   const std::vector<double>& less) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < more.size(); ++i) differences.push_back(more[i] - less[i]);
  return differences;
}

std::optional<Difference> median_of_differences(const std::vector<Difference>& differences) {
  if (differences.empty()) return std::nullopt;
  std::vector<double> medians, spreads, p99s;
  for (const Difference& difference : differences) {
    medians.push_back(difference.median);
    spreads.push_back(difference.spread);
    p99s.push_back(difference.p99);
  }
  return Difference{median_of(medians), median_of(spreads), median_of(p99s)};
}

std::optional<ThreadOverhead> summarize_threads(const std::vector<OverheadShape>& shapes,
                                                int threads) {
  ThreadOverhead overhead;
  overhead.threads = threads;
  std::vector<Difference> off, observe, hit_vendor, gains;
  std::vector<double> speedups;
  const auto append = [](std::vector<Difference>& list, const std::optional<Difference>& figure) {
    if (figure) list.push_back(*figure);
  };
  for (const OverheadShape& shape : shapes) {
    if (shape.threads != threads) continue;
    append(off, added(shape, kOff));
    append(observe, added(shape, kObserve));
    append(hit_vendor, added(shape, kHitVendor));
    append(gains, gain(shape));
    if (const ContestantResult* const ours = find_contestant(shape, kHitOurs)) {
      speedups.push_back(speedup(ours->series, shape.contestants.front().series).median);
    }
    if (!shape.is_undisturbed) ++overhead.disturbed_shapes;
  }
  if (off.empty()) return std::nullopt;
  overhead.off_ns = median_of_differences(off);
  overhead.observe_ns = median_of_differences(observe);
  overhead.hit_vendor_ns = median_of_differences(hit_vendor);
  overhead.hit_ours_gain_ns = median_of_differences(gains);
  overhead.hit_ours_speedup = geomean(speedups);
  return overhead;
}

}  // namespace

const ContestantResult* find_contestant(const OverheadShape& shape, const std::string& name) {
  const auto found = std::find_if(
      shape.contestants.begin(), shape.contestants.end(),
      [&name](const ContestantResult& contestant) { return contestant.series.name == name; });
  return found == shape.contestants.end() ? nullptr : &*found;
}

Difference difference(const std::vector<double>& more, const std::vector<double>& less) {
  assert(!more.empty() && more.size() == less.size());
  const std::vector<double> differences = differences_of(more, less);
  return {median_of(differences), half_interquartile_range(differences), p99_of(differences)};
}

double p99_of(std::vector<double> values) {
  assert(!values.empty());
  const auto rank = static_cast<std::ptrdiff_t>((99 * values.size() + 99) / 100) - 1;
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

std::optional<Difference> added(const OverheadShape& shape, const std::string& name) {
  const ContestantResult* const contestant = find_contestant(shape, name);
  if (contestant == nullptr) return std::nullopt;
  return difference(contestant->series.per_call_ns, shape.contestants.front().series.per_call_ns);
}

std::optional<Difference> gain(const OverheadShape& shape) {
  const ContestantResult* const ours = find_contestant(shape, kHitOurs);
  if (ours == nullptr) return std::nullopt;
  return difference(shape.contestants.front().series.per_call_ns, ours->series.per_call_ns);
}

HostOverheadSummary summarize(const HostOverheadResults& results) {
  HostOverheadSummary summary;
  summary.single = summarize_threads(results.shapes, 1);
  summary.pair = summarize_threads(results.shapes, 2);
  std::vector<double> before_kernel;
  for (const CallSteps& call : results.instructions.stepped) {
    before_kernel.push_back(static_cast<double>(call.before_kernel));
  }
  if (!before_kernel.empty()) summary.hit_instructions = median_of(before_kernel);
  if (results.instructions.callgrind) {
    summary.hit_added_instructions = added_per_call(*results.instructions.callgrind);
  }
  if (results.startup && !results.startup->with_ms.empty()) {
    const PreloadStartup& startup = *results.startup;
    summary.preload_startup_ms = difference(startup.with_ms, startup.without_ms);
    summary.preload_startup_cpu_ms = difference(startup.with_cpu_ms, startup.without_cpu_ms);
    summary.preload_startup_interval_ms =
        median_interval(differences_of(startup.with_ms, startup.without_ms));
    if (!startup.with_instructions.empty()) {
      summary.preload_startup_instructions = static_cast<double>(
          total_of(startup.with_instructions) - total_of(startup.without_instructions));
    }
  }
  return summary;
}

}  // namespace triode::bench
