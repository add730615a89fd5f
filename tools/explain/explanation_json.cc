// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tools/explain/explanation_output.h"

namespace triode::explain_tool {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const KeptPlan& kept) {
  const StoredPlan& plan = kept.plan;
  return {{"vendor", plan.vendor},          {"config", plan.config},
          {"speedup", plan.speedup},        {"speedup_spread", kept.speedup_spread},
          {"vendor_ns", plan.vendor_ns},    {"plan_ns", plan.plan_ns},
          {"target", kept.target},          {"difference", kept.difference},
          {"code_digest", plan.code_digest}};
}

Json json_of(const StoredTrial& trial) {
  Json json{{"config", trial.config},
            {"outcome", std::string(to_string(trial.record.outcome.kind))},
            {"reason", trial.record.outcome.reason},
            {"median_ns", trial.record.measurement.median_ns},
            {"spread", trial.record.measurement.spread},
            {"when_unix_s", trial.record.when_unix_s},
            {"prior", trial.why_prior}};
  if (trial.record.vendor) json["vendor_ns"] = trial.record.vendor->median_ns;
  return json;
}

Json json_of(const Prediction& prediction) {
  return {{"config", prediction.config},
          {"predicted_ns", prediction.ns},
          {"stddev", prediction.stddev},
          {"rank", prediction.rank}};
}

Json json_of(const report_tool::TunerEvent& event) {
  return {{"when_unix_s", event.when_unix_s}, {"event", event.event}, {"fields", event.fields}};
}

Json json_of(const FeatureValue& feature) {
  return {{"name", feature.name},
          {"value", feature.value},
          {"unit", feature.unit},
          {"formula", feature.formula}};
}

template <typename Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

Json explanation_json(const Explanation& told) {
  Json json{{"problem", to_string(told.problem)},
            {"device", told.device},
            {"toolchain", told.toolchain},
            {"no_cpu_kernel", told.no_cpu_kernel},
            {"answered_by", told.answering_plans().empty() ? "vendor" : "triode"},
            {"config", told.chosen_config()},
            {"vendor_ns", told.vendor_ns()},
            {"legal_configs", told.space_size},
            {"space_limit", kMostCounted},
            {"plans", list_of(told.plans)},
            {"plans_elsewhere", list_of(told.plans_elsewhere)},
            {"trials", list_of(told.trials)},
            {"decisions", list_of(told.decisions)},
            {"model",
             {{"name", told.model},
              {"trouble", told.model_trouble},
              {"support", told.support},
              {"ranked", told.ranked},
              {"favourites", list_of(told.favourites)}}},
            {"features", list_of(told.features)},
            {"timed_alike", Json::array()}};
  for (const Problem& problem : told.timed_alike) json["timed_alike"].push_back(to_string(problem));
  if (told.of_the_choice) json["model"]["of_the_choice"] = json_of(*told.of_the_choice);
  return json;
}

}  // namespace triode::explain_tool
