// SPDX-License-Identifier: Apache-2.0
#include "tools/model/model_json.h"

#include <nlohmann/json.hpp>

namespace triode::model_tool {
namespace {

template <typename List>
nlohmann::ordered_json words_of(const List& list) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const auto& each : list) words.push_back(std::string(to_string(each)));
  return words;
}

}  // namespace

nlohmann::ordered_json summary_json(const KnownModel& model) {
  nlohmann::ordered_json json{{"digest", model.digest}};
  if (model.snapshot) {
    json["name"] = model.snapshot->name;
    json["kind"] = std::string(to_string(model.snapshot->kind));
  } else {
    json["damage"] = model.damage;
  }
  json["source"] = std::string(to_string(model.source));
  if (!model.path.empty()) json["path"] = model.path;
  json["size_bytes"] = model.size_bytes;
  json["made_unix_s"] = model.made_unix_s;
  json["is_promoted"] = model.is_promoted;
  json["is_in_force"] = model.is_in_force;
  json["notes"] = model.notes;
  return json;
}

nlohmann::ordered_json full_json(const KnownModel& model) {
  nlohmann::ordered_json json = summary_json(model);
  if (!model.snapshot) return json;
  const Snapshot& snapshot = *model.snapshot;
  json["schema"] = snapshot.schema_hash;
  json["features"] = snapshot.feature_names;
  json["data_digest"] = snapshot.training_digest;
  json["nets"] = nlohmann::ordered_json::array();
  for (const Net& net : snapshot.nets) json["nets"].push_back(net_text(net));
  json["support"] = {{"devices", snapshot.support.devices},
                     {"families", words_of(snapshot.support.families)},
                     {"ops", words_of(snapshot.support.ops)},
                     {"dtypes", words_of(snapshot.support.dtypes)}};
  json["card"] = snapshot.card;
  return json;
}

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string net_text(const Net& net) {
  std::string text(to_string(net.role));
  text += " " + std::to_string(net.inputs.size());
  for (const DenseLayer& layer : net.layers) text += "-" + std::to_string(layer.outputs);
  return text;
}

}  // namespace triode::model_tool
