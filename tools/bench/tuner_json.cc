// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tuner_json.h"

#include <nlohmann/json.hpp>

#include "tools/bench/device_json.h"
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

Json pair_json(const PairedShape& shape) {
  return {{"problem", shape.problem},
          {"is_ours", shape.is_ours},
          {"is_undisturbed", shape.is_undisturbed},
          {"vendor_ns", shape.vendor_ns},
          {"program_ns", shape.program_ns}};
}

// With the figures that the samples give.
Json judged_pair_json(const PairedShape& shape) {
  const PairSummary summary = summarize(shape);
  Json json = {{"speedup", summary.speedup.median},
               {"speedup_low", summary.speedup.interval.low},
               {"speedup_high", summary.speedup.interval.high},
               {"is_slower", summary.is_slower}};
  json.update(pair_json(shape));
  return json;
}

Json round_json(const ConvergenceRound& round) {
  return {round.seconds, round.vendor_ns, round.program_ns};
}

Json first_calls_json(const FirstCalls& calls) {
  return {{"library_ns", calls.library_ns},
          {"library_again_ns", calls.library_again_ns},
          {"first_ns", calls.first_ns}};
}

template <typename Item, typename Convert>
Json list_json(const std::vector<Item>& items, Convert convert) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(convert(item));
  return list;
}

Json effort_json(const SearchEffort& effort) {
  return {{"searches", effort.searches},       {"trials", effort.trials},
          {"plans_found", effort.plans_found}, {"vendor_stays", effort.vendor_stays},
          {"withdrawals", effort.withdrawals}, {"seconds", effort.seconds},
          {"is_complete", effort.is_complete}};
}

Json vendor_json(const VendorPairs& pairs) {
  return {{"name", pairs.vendor.name},
          {"version", pairs.vendor.version},
          {"path", pairs.vendor.path},
          {"core", pairs.vendor.core},
          {"mistaken_core", pairs.vendor.mistaken_core},
          {"effort", effort_json(pairs.effort)},
          {"plans", pairs.plans},
          {"shapes", list_json(pairs.shapes, judged_pair_json)}};
}

Json window_json(const WindowFigures& window) {
  return {{"is_tuning", window.is_tuning},     {"seconds", window.seconds},
          {"calls_per_s", window.calls_per_s}, {"p50_ns", window.p50_ns},
          {"p99_ns", window.p99_ns},           {"tuner_cores", window.tuner_cores}};
}

Json program_json(const ProgramRuns& program) {
  return {{"name", program.name},
          {"without_s", program.without_s},
          {"with_s", program.with_s},
          {"matmul_share", program.matmul_share},
          {"answered_share", program.answered_share},
          {"remark", text_or_null(program.remark)}};
}

Json convergence_json(const std::optional<Convergence>& convergence) {
  if (!convergence) return nullptr;
  return {{"shapes", convergence->shapes},
          {"effort", effort_json(convergence->effort)},
          {"round", "seconds, vendor_ns, program_ns"},
          {"rounds", list_json(convergence->rounds, round_json)}};
}

void add_ratio(Json& json, const std::string& name, const std::optional<SureRatio>& ratio) {
  json[name] = ratio ? Json(ratio->median) : Json(nullptr);
  json[name + "_low"] = ratio ? Json(ratio->interval.low) : Json(nullptr);
  json[name + "_high"] = ratio ? Json(ratio->interval.high) : Json(nullptr);
}

Json vendors_summary_json(const std::vector<VendorSummary>& vendors) {
  Json json = Json::object();
  for (const VendorSummary& vendor : vendors) {
    json[vendor.name] = {{"speedup_geomean", figure(vendor.speedup_geomean)},
                         {"share_slower_2pct", figure(vendor.share_slower)},
                         {"share_planned", vendor.share_planned},
                         {"disturbed_shapes", vendor.disturbed}};
  }
  return json;
}

Json programs_summary_json(const std::vector<ProgramSummary>& programs) {
  Json json = Json::object();
  for (const ProgramSummary& program : programs) {
    Json one = Json::object();
    add_ratio(one, "speedup", program.speedup);
    one["matmul_share"] = program.matmul_share;
    json[program.name] = one;
  }
  return json;
}

Json summary_json(const TunerSummary& summary) {
  Json json = {{"speedup_geomean", figure(summary.speedup_geomean)},
               {"share_slower_2pct", figure(summary.share_slower_2pct)}};
  add_ratio(json, "throughput_while_tuning", summary.throughput_while_tuning);
  add_ratio(json, "p99_while_tuning", summary.p99_while_tuning);
  json["tuner_cores"] = figure(summary.tuner_cores);
  json["first_call_added_us_p99"] = figure(summary.first_call_added_us_p99);
  json["first_call_added_us_median"] = figure(summary.first_call_added_us_median);
  json["first_call_noise_us_p99"] = figure(summary.first_call_noise_us_p99);
  json["seconds_to_90pct"] = figure(summary.seconds_to_90pct);
  json["final_speedup"] = figure(summary.final_speedup);
  json["trials_per_problem"] = figure(summary.trials_per_problem);
  json["exhaustive_per_problem"] = figure(summary.exhaustive_per_problem);
  json["vendors"] = vendors_summary_json(summary.vendors);
  json["programs"] = programs_summary_json(summary.programs);
  return json;
}

// nlohmann's exceptions end here.
template <typename Read>
auto read_json(const std::string& text, Read read) -> Result<decltype(read(Json()))> {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    return corrupt(std::string("the calling program wrote what cannot be read: ") + error.what());
  }
}

}  // namespace

std::string to_json_text(const std::vector<ConvergenceRound>& rounds) {
  return list_json(rounds, round_json).dump();
}

std::string to_json_text(const std::vector<PairedShape>& pairs) {
  return list_json(pairs, pair_json).dump();
}

std::string to_json_text(const FirstCalls& calls) {
  return first_calls_json(calls).dump();
}

Result<std::vector<ConvergenceRound>> read_rounds(const std::string& text) {
  return read_json(text, [](const Json& json) {
    std::vector<ConvergenceRound> rounds;
    for (const Json& round : json) rounds.push_back({round.at(0), round.at(1), round.at(2)});
    return rounds;
  });
}

Result<std::vector<PairedShape>> read_pairs(const std::string& text) {
  return read_json(text, [](const Json& json) {
    std::vector<PairedShape> pairs;
    for (const Json& pair : json) {
      pairs.push_back({pair.at("problem"), pair.at("is_ours"), pair.at("is_undisturbed"),
                       pair.at("vendor_ns"), pair.at("program_ns")});
    }
    return pairs;
  });
}

Result<FirstCalls> read_first_calls(const std::string& text) {
  return read_json(text, [](const Json& json) {
    return FirstCalls{json.at("library_ns"), json.at("library_again_ns"), json.at("first_ns")};
  });
}

std::string tuner_json(const TunerResults& results, const TunerSummary& summary) {
  Json json = {
      {"tool", "triode bench tuner"},
      {"version", kVersion},
      {"device", device_json(results.target, results.clock_mhz_begin, results.clock_mhz_end)},
      {"seed", results.seed},
      {"rounds", results.rounds},
      {"warm_up", "one untimed call before each sample of a pair"},
      {"cache_state", "warm"},
      {"vendors", list_json(results.vendors, vendor_json)},
      {"left_out", results.left_out},
      {"space_sizes", results.space_sizes},
      {"convergence", convergence_json(results.convergence)},
      {"windows", list_json(results.windows, window_json)},
      {"first_calls", results.first_calls ? first_calls_json(*results.first_calls) : Json(nullptr)},
      {"python", text_or_null(results.python)},
      {"programs", list_json(results.programs, program_json)}};
  json["summary"] = summary_json(summary);
  return json.dump(2) + "\n";
}

}  // namespace triode::bench
