// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_summary.h"

#include <algorithm>
#include <cstddef>

#include "core/measurement.h"
#include "tools/bench/host_overhead_summary.h"
#include "tools/bench/summary.h"
#include "tools/bench/tuner_statistics.h"

namespace triode::bench {
namespace {

constexpr double kConvergedShare = 0.9;

SureRatio sure_ratio(const std::vector<double>& ratios) {
  return {median_of(ratios), median_interval(ratios)};
}

VendorSummary summarize_vendor(const VendorPairs& vendor) {
  VendorSummary summary;
  summary.name = vendor.vendor.name;
  if (vendor.shapes.empty()) return summary;
  std::vector<double> speedups;
  double slower = 0, planned = 0;
  for (const PairedShape& shape : vendor.shapes) {
    const PairSummary pair = summarize(shape);
    speedups.push_back(pair.speedup.median);
    slower += pair.is_slower ? 1 : 0;
    planned += shape.is_ours ? 1 : 0;
    summary.disturbed += shape.is_undisturbed ? 0 : 1;
  }
  const auto count = static_cast<double>(vendor.shapes.size());
  summary.speedup_geomean = geomean(speedups);
  summary.share_slower = slower / count;
  summary.share_planned = planned / count;
  return summary;
}

// Over all libraries, each shape counts once for each.
std::optional<double> share_slower(const TunerResults& results) {
  double slower = 0, count = 0;
  for (const VendorPairs& vendor : results.vendors) {
    for (const PairedShape& shape : vendor.shapes) {
      slower += summarize(shape).is_slower ? 1 : 0;
      count += 1;
    }
  }
  return count == 0 ? std::nullopt : std::optional(slower / count);
}

void add_interference(TunerSummary& summary, const std::vector<WindowFigures>& windows) {
  const Interference found = interference_of(windows);
  if (found.throughput.empty()) return;
  summary.throughput_while_tuning = sure_ratio(found.throughput);
  summary.p99_while_tuning = sure_ratio(found.p99);
  std::vector<double> cores;
  for (const WindowFigures& window : windows) {
    if (window.is_tuning) cores.push_back(window.tuner_cores);
  }
  summary.tuner_cores = median_of(cores);
}

void add_first_calls(TunerSummary& summary, const FirstCalls& calls) {
  if (calls.first_ns.empty()) return;
  const Difference added = difference(calls.first_ns, calls.library_again_ns);
  summary.first_call_added_us_p99 = 1e-3 * added.p99;
  summary.first_call_added_us_median = 1e-3 * added.median;
  summary.first_call_noise_us_p99 = 1e-3 * difference(calls.library_again_ns, calls.library_ns).p99;
}

void add_effort(TunerSummary& summary, const TunerResults& results) {
  double searches = 0, trials = 0;
  for (const VendorPairs& vendor : results.vendors) {
    searches += static_cast<double>(vendor.effort.searches);
    trials += static_cast<double>(vendor.effort.trials);
  }
  if (searches > 0) summary.trials_per_problem = trials / searches;
  const std::vector<double> sizes(results.space_sizes.begin(), results.space_sizes.end());
  if (!sizes.empty()) summary.exhaustive_per_problem = median_of(sizes);
}

}  // namespace

PairSummary summarize(const PairedShape& shape) {
  const std::vector<double> slowdowns = ratios(shape.program_ns, shape.vendor_ns);
  return {sure_ratio(ratios(shape.vendor_ns, shape.program_ns)),
          median_interval(slowdowns).low > kSlowerMargin};
}

TunerSummary summarize(const TunerResults& results) {
  TunerSummary summary;
  for (const VendorPairs& vendor : results.vendors) {
    summary.vendors.push_back(summarize_vendor(vendor));
  }
  if (!summary.vendors.empty()) summary.speedup_geomean = summary.vendors[0].speedup_geomean;
  summary.share_slower_2pct = share_slower(results);
  add_interference(summary, results.windows);
  if (results.first_calls) add_first_calls(summary, *results.first_calls);
  if (results.convergence && !results.convergence->rounds.empty()) {
    const auto& rounds = results.convergence->rounds;
    summary.final_speedup = final_speedup(rounds);
    summary.seconds_to_90pct = seconds_to_share(rounds, kConvergedShare);
  }
  add_effort(summary, results);
  for (const ProgramRuns& program : results.programs) {
    if (program.with_s.empty()) continue;
    summary.programs.push_back({program.name, sure_ratio(ratios(program.without_s, program.with_s)),
                                program.matmul_share});
  }
  return summary;
}

}  // namespace triode::bench
