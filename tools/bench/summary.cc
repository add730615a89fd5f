// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/measurement.h"

namespace triode::bench {
namespace {

// The ratios of one thread count, shape by shape.
struct RatioLists {
  std::vector<double> best;
  std::vector<double> best_not_tiny;
  std::vector<double> best_compute_bound;
  std::vector<double> spreads;
  std::map<std::string, std::vector<double>> by_peer;
};

void add_ratios(const ShapeResult& result, RatioLists& lists) {
  for (const Series& peer : result.peers) {
    lists.by_peer[peer.name].push_back(speedup(result.triode, peer).median);
  }
  const Series* const best = best_peer(result);
  if (best == nullptr) return;
  const Ratio ratio = speedup(result.triode, *best);
  lists.best.push_back(ratio.median);
  lists.spreads.push_back(ratio.spread);
  const Problem& problem = result.shape.problem;
  if (!is_tiny(problem)) lists.best_not_tiny.push_back(ratio.median);
  if (is_compute_bound(problem, result.limit)) lists.best_compute_bound.push_back(ratio.median);
}

ThreadSummary summarize_lists(const RatioLists& lists) {
  ThreadSummary summary;
  summary.geomean_vs_best = geomean(lists.best);
  summary.geomean_vs_best_not_tiny = geomean(lists.best_not_tiny);
  summary.geomean_vs_best_compute_bound = geomean(lists.best_compute_bound);
  if (!lists.best_compute_bound.empty()) {
    summary.min_vs_best_compute_bound =
        *std::min_element(lists.best_compute_bound.begin(), lists.best_compute_bound.end());
  }
  for (const auto& [name, ratios] : lists.by_peer) {
    summary.geomean_vs_peer[name] = *geomean(ratios);
  }
  if (!lists.spreads.empty()) summary.median_spread = median_of(lists.spreads);
  return summary;
}

// Whether a result counts in the figures per thread count.
bool counts(const ShapeResult& result, bool nn_only) {
  return !nn_only || transposes_of(result.shape.problem) == "nn";
}

std::optional<ThreadSummary> summarize_threads(const BenchResults& results, bool threaded,
                                               bool nn_only) {
  RatioLists lists;
  int shapes = 0;
  int disturbed = 0;
  int threads = 1;
  for (const ShapeResult& result : results.shapes) {
    if ((result.threads > 1) != threaded || !counts(result, nn_only)) continue;
    add_ratios(result, lists);
    threads = result.threads;
    ++shapes;
    if (!result.is_undisturbed) ++disturbed;
  }
  if (shapes == 0) return std::nullopt;
  ThreadSummary summary = summarize_lists(lists);
  summary.threads = threads;
  summary.shapes = shapes;
  summary.disturbed_shapes = disturbed;
  return summary;
}

// Of the pass on the fewest threads, where both were made.
std::map<std::string, TransposeSummary> summarize_transposes(const BenchResults& results) {
  int threads = results.transposes.front().threads;
  for (const TransposeResult& result : results.transposes) {
    threads = std::min(threads, result.threads);
  }
  std::map<std::string, std::vector<double>> vs_nn;
  std::map<std::string, std::vector<double>> spreads;
  for (const TransposeResult& result : results.transposes) {
    if (result.threads != threads) continue;
    const Series& nn = result.series.front();
    for (const Series& stored : result.series) {
      const Ratio ratio = speedup(stored, nn);
      vs_nn[stored.name].push_back(ratio.median);
      spreads[stored.name].push_back(ratio.spread);
    }
  }
  std::map<std::string, RatioLists> vs_best;
  for (const ShapeResult& result : results.shapes) {
    if (result.threads != threads) continue;
    add_ratios(result, vs_best[std::string(transposes_of(result.shape.problem))]);
  }
  std::map<std::string, TransposeSummary> summaries;
  for (const auto& [name, lists] : vs_best) {
    summaries[name].geomean_vs_best = geomean(lists.best);
    if (!vs_nn.contains(name)) continue;
    summaries[name].geomean_vs_nn = geomean(vs_nn[name]);
    summaries[name].median_spread = median_of(spreads[name]);
    summaries[name].shapes = static_cast<int>(vs_nn[name].size());
  }
  return summaries;
}

}  // namespace

Ratio speedup(const Series& faster, const Series& slower) {
  assert(!faster.per_call_ns.empty() && faster.per_call_ns.size() == slower.per_call_ns.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < faster.per_call_ns.size(); ++i) {
    ratios.push_back(slower.per_call_ns[i] / faster.per_call_ns[i]);
  }
  const double spread = spread_of(ratios);
  return {median_of(std::move(ratios)), spread};
}

const Series* best_peer(const ShapeResult& result) {
  const auto best = std::min_element(result.peers.begin(), result.peers.end(),
                                     [](const Series& x, const Series& y) {
                                       return median_of(x.per_call_ns) < median_of(y.per_call_ns);
                                     });
  return best == result.peers.end() ? nullptr : &*best;
}

double gflops(const ShapeResult& result, const Series& series) {
  return result.shape.problem.flops() / median_of(series.per_call_ns);
}

bool is_compute_bound(const Problem& problem, const ProblemLimit& limit) {
  return limit.bound == Bound::kCompute && !is_tiny(problem);
}

std::optional<double> best_over_median(const ShapeResult& result) {
  if (result.search.random_ns.empty()) return std::nullopt;
  return median_of(result.search.random_ns) / median_of(result.triode.per_call_ns);
}

std::optional<double> geomean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

Summary summarize(const BenchResults& results) {
  const bool nn_only = !results.transposes.empty();
  Summary summary;
  summary.single = summarize_threads(results, false, nn_only);
  summary.threaded = summarize_threads(results, true, nn_only);
  if (!results.compile_us.empty()) summary.jit_us_median = median_of(results.compile_us);
  if (!results.transposes.empty()) summary.transposes = summarize_transposes(results);
  return summary;
}

}  // namespace triode::bench
