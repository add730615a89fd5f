// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/report_json.h"

#include <nlohmann/json.hpp>

#include "core/measurement.h"
#include "jit/x86/vector_isa.h"
#include "tools/bench/device_json.h"
#include "triode_version.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

Json figure(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json limits_json(const MachineLimits& limits) {
  Json bandwidths = Json::array();
  for (const ReadBandwidth& bandwidth : limits.bandwidths) {
    bandwidths.push_back({{"bytes", bandwidth.bytes}, {"gb_per_s", bandwidth.gb_per_s}});
  }
  return {{"threads", limits.threads},
          {"isa", x86::describe(limits.isa).name},
          {"f32_gflops", limits.f32_gflops},
          {"f64_gflops", limits.f64_gflops},
          {"read_bandwidth", bandwidths}};
}

Json left_out_json(const std::vector<LeftOut>& left_out) {
  Json list = Json::array();
  for (const LeftOut& peer : left_out) {
    list.push_back({{"name", peer.name}, {"reason", peer.reason}});
  }
  return list;
}

Json search_json(const ShapeResult& result) {
  Json outcomes = Json::object();
  for (const auto& [kind, count] : result.search.outcomes) {
    outcomes[std::string(to_string(kind))] = count;
  }
  return {{"tried", result.search.tried},
          {"known_starts", result.search.known_starts},
          {"spent_s", std::chrono::duration<double>(result.search.spent).count()},
          {"outcomes", outcomes},
          {"failures", result.search.failures},
          {"best_over_median", figure(best_over_median(result))},
          {"random_ns", result.search.random_ns}};
}

Json series_json(const Series& series) {
  return {{"median_ns", median_of(series.per_call_ns)},
          {"spread", spread_of(series.per_call_ns)},
          {"repeats", series.repeats},
          {"samples_ns", series.per_call_ns}};
}

Json ratios_json(const ShapeResult& result) {
  Json ratios = Json::object();
  for (const Series& peer : result.peers) {
    const Ratio ratio = speedup(result.triode, peer);
    ratios[peer.name] = {{"speedup", ratio.median}, {"spread", ratio.spread}};
  }
  return ratios;
}

Json timings_json(const ShapeResult& result) {
  Json timings = {{"triode", series_json(result.triode)}};
  for (const Series& peer : result.peers) timings[peer.name] = series_json(peer);
  return timings;
}

Json vs_best_json(const ShapeResult& result) {
  const Series* const best = best_peer(result);
  if (best == nullptr) return nullptr;
  const Ratio ratio = speedup(result.triode, *best);
  return {{"peer", best->name}, {"speedup", ratio.median}, {"spread", ratio.spread}};
}

Json shape_json(const ShapeResult& result) {
  const Problem& problem = result.shape.problem;
  const double speed = gflops(result, result.triode);
  return {{"label", display_name(result.shape)},
          {"problem", to_string(problem)},
          {"threads", result.threads},
          {"config", result.config},
          {"config_was_saved", result.config_was_saved},
          {"workspace_bytes", result.workspace_bytes},
          {"flops", problem.flops()},
          {"bytes", problem.bytes()},
          {"is_tiny", is_tiny(problem)},
          {"bound", to_string(result.limit.bound)},
          {"limit_gflops", result.limit.gflops},
          {"gflops", speed},
          {"share_of_limit", speed / result.limit.gflops},
          {"vs_best", vs_best_json(result)},
          {"vs_peer", ratios_json(result)},
          {"left_out", left_out_json(result.left_out)},
          {"search", search_json(result)},
          {"rounds", result.triode.per_call_ns.size()},
          {"rejected_rounds", result.rejected_rounds},
          {"is_undisturbed", result.is_undisturbed},
          {"timings", timings_json(result)}};
}

Json transpose_json(const TransposeResult& result) {
  Json timings = Json::object();
  for (const Series& series : result.series) timings[series.name] = series_json(series);
  return {{"label", result.label}, {"threads", result.threads}, {"timings", timings}};
}

Json peers_json(const BenchResults& results) {
  Json peers = Json::array();
  for (const PeerUsed& peer : results.peers) {
    peers.push_back({{"name", peer.name},
                     {"version", peer.version},
                     {"path", peer.path},
                     {"core", peer.core},
                     {"mistaken_core", peer.mistaken_core}});
  }
  return peers;
}

Json failed_json(const BenchResults& results) {
  Json failed = Json::array();
  for (const FailedShape& shape : results.failed) {
    failed.push_back({{"label", display_name(shape.shape)},
                      {"problem", to_string(shape.shape.problem)},
                      {"threads", shape.threads},
                      {"reason", shape.reason}});
  }
  return failed;
}

Json vs_peer_json(const ThreadSummary& summary, const std::string& peer) {
  const auto found = summary.geomean_vs_peer.find(peer);
  return found == summary.geomean_vs_peer.end() ? Json(nullptr) : Json(found->second);
}

Json thread_summary_json(const ThreadSummary& summary) {
  return {{"geomean_vs_best", figure(summary.geomean_vs_best)},
          {"geomean_vs_best_not_tiny", figure(summary.geomean_vs_best_not_tiny)},
          {"geomean_vs_best_compute_bound", figure(summary.geomean_vs_best_compute_bound)},
          {"min_vs_best_compute_bound", figure(summary.min_vs_best_compute_bound)},
          {"geomean_vs_openblas_new", vs_peer_json(summary, "openblas-new")},
          {"geomean_vs_mkl", vs_peer_json(summary, "mkl")},
          {"geomean_vs_peer", summary.geomean_vs_peer},
          {"median_spread", figure(summary.median_spread)},
          {"shapes", summary.shapes},
          {"disturbed_shapes", summary.disturbed_shapes}};
}

Json threaded_json(const Summary& summary) {
  if (!summary.threaded) return nullptr;
  Json json = {{"count", summary.threaded->threads}};
  json.update(thread_summary_json(*summary.threaded));
  return json;
}

Json transposes_json(const Summary& summary) {
  if (summary.transposes.empty()) return nullptr;
  Json json = Json::object();
  for (const auto& [name, transposes] : summary.transposes) {
    json[name] = {{"geomean_vs_nn", figure(transposes.geomean_vs_nn)},
                  {"median_spread", figure(transposes.median_spread)},
                  {"shapes", transposes.shapes},
                  {"geomean_vs_best", figure(transposes.geomean_vs_best)}};
  }
  return json;
}

Json summary_json(const Summary& summary) {
  Json json = thread_summary_json(summary.single.value_or(ThreadSummary{}));
  json["jit_us_median"] = figure(summary.jit_us_median);
  json["threads"] = threaded_json(summary);
  json["transposes"] = transposes_json(summary);
  return json;
}

}  // namespace

std::string report_json(const BenchResults& results, const Summary& summary) {
  Json json = {
      {"tool", "triode bench cpu-gemm"},
      {"version", kVersion},
      {"device", device_json(results.target, results.clock_mhz_begin, results.clock_mhz_end)},
      {"seed", results.seed},
      {"search_budget_s", results.budget_s},
      {"exhaustive", results.exhaustive},
      {"warm_up", "one untimed call of the same contestant before each sample"},
      {"cache_state", "warm"},
      {"peers", peers_json(results)},
      {"missing_peers", left_out_json(results.missing_peers)}};
  json["limits"] = Json::array();
  for (const MachineLimits& limits : results.limits) json["limits"].push_back(limits_json(limits));
  json["shapes"] = Json::array();
  for (const ShapeResult& result : results.shapes) json["shapes"].push_back(shape_json(result));
  json["failed"] = failed_json(results);
  json["transposes"] = Json::array();
  for (const TransposeResult& result : results.transposes) {
    json["transposes"].push_back(transpose_json(result));
  }
  json["compile_us"] = results.compile_us;
  json["summary"] = summary_json(summary);
  return json.dump(2) + "\n";
}

}  // namespace triode::bench
