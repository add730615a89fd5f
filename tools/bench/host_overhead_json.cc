// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_overhead_json.h"

#include <nlohmann/json.hpp>

#include "core/measurement.h"
#include "tools/bench/device_json.h"
#include "tools/bench/summary.h"
#include "triode_version.h"

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

Json figure(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json vendor_json(const PeerUsed& vendor) {
  return {{"name", vendor.name},
          {"version", vendor.version},
          {"path", vendor.path},
          {"core", vendor.core},
          {"mistaken_core", vendor.mistaken_core},
          {"function", "cblas_sgemm"},
          {"threads", 1}};
}

Json misses_json(const std::vector<double>& per_call) {
  if (per_call.empty()) return nullptr;
  return {{"median", median_of(per_call)}, {"spread", spread_of(per_call)}, {"samples", per_call}};
}

Json contestant_json(const OverheadShape& shape, const ContestantResult& contestant) {
  const std::vector<double>& times = contestant.series.per_call_ns;
  Json json = {{"answered_by", contestant.answered_by},
               {"median_ns", median_of(times)},
               {"spread", spread_of(times)},
               {"p99_ns", p99_of(times)}};
  const std::string& name = contestant.series.name;
  if (name == kHitOurs) {
    const Ratio ratio = speedup(contestant.series, shape.contestants.front().series);
    json["gain_ns"] = gain(shape)->median;
    json["gain_spread_ns"] = gain(shape)->spread;
    json["speedup"] = ratio.median;
    json["speedup_spread"] = ratio.spread;
  } else if (name != kDirect) {
    const Difference more = *added(shape, name);
    json["added_ns"] = more.median;
    json["added_spread_ns"] = more.spread;
    json["added_p99_ns"] = more.p99;
  }
  json["l1d_misses_per_call"] = misses_json(contestant.misses.l1d);
  json["llc_misses_per_call"] = misses_json(contestant.misses.llc);
  json["repeats"] = contestant.series.repeats;
  json["samples_ns"] = times;
  return json;
}

Json shape_json(const OverheadShape& shape) {
  Json timings = Json::object();
  for (const ContestantResult& contestant : shape.contestants) {
    timings[contestant.series.name] = contestant_json(shape, contestant);
  }
  return {{"problem", to_string(shape.problem)},
          {"threads", shape.threads},
          {"plan", text_or_null(shape.plan)},
          {"plan_remark", text_or_null(shape.plan_remark)},
          {"rounds", shape.contestants.front().series.per_call_ns.size()},
          {"rejected_rounds", shape.rejected_rounds},
          {"is_undisturbed", shape.is_undisturbed},
          {"timings", timings}};
}

Json stepped_json(const std::vector<CallSteps>& calls) {
  if (calls.empty()) return nullptr;
  Json before = Json::array();
  Json kernel = Json::array();
  Json after = Json::array();
  for (const CallSteps& call : calls) {
    before.push_back(call.before_kernel);
    kernel.push_back(call.kernel);
    after.push_back(call.after_kernel);
  }
  return {{"calls", calls.size()},
          {"before_kernel", before},
          {"kernel", kernel},
          {"after_kernel", after}};
}

Json callgrind_json(const std::optional<CallgrindCosts>& costs) {
  if (!costs) return nullptr;
  return {{"calls", costs->calls},
          {"by_file", costs->once},
          {"by_file_of_twice_the_calls", costs->twice}};
}

Json instructions_json(const HitInstructions& instructions) {
  return {{"problem", to_string(Problem::mm(DType::kF32, 8, 8, 8))},
          {"stepped", stepped_json(instructions.stepped)},
          {"stepped_remark", text_or_null(instructions.stepped_remark)},
          {"callgrind", callgrind_json(instructions.callgrind)},
          {"callgrind_remark", text_or_null(instructions.callgrind_remark)}};
}

Json startup_json(const PreloadStartup& startup) {
  Json loaded = nullptr;
  if (startup.loaded_remark.empty()) {
    loaded = {{"at_start", startup.loaded_at_start},
              {"after_one_small_matmul", startup.loaded_after_matmul},
              {"heavy", heavy_libraries(startup.loaded_after_matmul)}};
  }
  return {{"command", startup.program + " -c pass"},
          {"rounds", startup.with_ms.size()},
          {"starts_per_round", kStartsPerRound},
          {"loaded_by_triode", loaded},
          {"loaded_remark", text_or_null(startup.loaded_remark)},
          {"without_ms", startup.without_ms},
          {"with_ms", startup.with_ms},
          {"without_cpu_ms", startup.without_cpu_ms},
          {"with_cpu_ms", startup.with_cpu_ms},
          {"without_instructions", startup.without_instructions},
          {"with_instructions", startup.with_instructions},
          {"instructions_remark", text_or_null(startup.instructions_remark)}};
}

void add_difference(Json& json, const std::string& name, const std::string& unit,
                    const std::optional<Difference>& difference) {
  json[name + unit] = difference ? Json(difference->median) : Json(nullptr);
  json[name + "_spread" + unit] = difference ? Json(difference->spread) : Json(nullptr);
}

void add_overhead(Json& json, const std::string& name, const std::optional<Difference>& added) {
  add_difference(json, name, "_ns", added);
  json[name + "_p99_ns"] = added ? Json(added->p99) : Json(nullptr);
}

Json thread_json(const ThreadOverhead& overhead) {
  Json json = Json::object();
  add_overhead(json, "off", overhead.off_ns);
  add_overhead(json, "observe", overhead.observe_ns);
  add_overhead(json, "hit_vendor", overhead.hit_vendor_ns);
  add_difference(json, "hit_ours_gain", "_ns", overhead.hit_ours_gain_ns);
  json["hit_ours_speedup"] = figure(overhead.hit_ours_speedup);
  json["disturbed_shapes"] = overhead.disturbed_shapes;
  return json;
}

Json summary_json(const HostOverheadSummary& summary) {
  Json json = thread_json(summary.single.value_or(ThreadOverhead{}));
  json["hit_instructions"] = figure(summary.hit_instructions);
  json["hit_added_instructions"] = figure(summary.hit_added_instructions);
  add_difference(json, "preload_startup", "_ms", summary.preload_startup_ms);
  const auto& interval = summary.preload_startup_interval_ms;
  json["preload_startup_low_ms"] = interval ? Json(interval->low) : Json(nullptr);
  json["preload_startup_high_ms"] = interval ? Json(interval->high) : Json(nullptr);
  add_difference(json, "preload_startup_cpu", "_ms", summary.preload_startup_cpu_ms);
  json["preload_startup_instructions"] = figure(summary.preload_startup_instructions);
  json["threads"] = nullptr;
  if (summary.pair) {
    json["threads"] = {{"count", summary.pair->threads}};
    json["threads"].update(thread_json(*summary.pair));
  }
  return json;
}

}  // namespace

std::string host_overhead_json(const HostOverheadResults& results,
                               const HostOverheadSummary& summary) {
  Json json = {
      {"tool", "triode bench host-overhead"},
      {"version", kVersion},
      {"device", device_json(results.target, results.clock_mhz_begin, results.clock_mhz_end)},
      {"seed", results.seed},
      {"search_budget_s", results.budget_s},
      {"library", results.library},
      {"vendor", vendor_json(results.vendor)},
      {"warm_up", "one untimed call of the same contestant before each sample"},
      {"cache_state", "warm"}};
  json["shapes"] = Json::array();
  for (const OverheadShape& shape : results.shapes) json["shapes"].push_back(shape_json(shape));
  json["cache_misses_remark"] = text_or_null(results.misses_remark);
  json["instructions"] = instructions_json(results.instructions);
  json["startup"] = results.startup ? startup_json(*results.startup) : Json(nullptr);
  json["startup_remark"] = text_or_null(results.startup_remark);
  json["summary"] = summary_json(summary);
  return json.dump(2) + "\n";
}

}  // namespace triode::bench
