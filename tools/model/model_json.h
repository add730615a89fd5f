// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/model/known_models.h"

namespace triode::model_tool {

// What `ls --json` says of a model.
nlohmann::ordered_json summary_json(const KnownModel& model);
// And what `show --json` says: its features, nets, support and card too.
nlohmann::ordered_json full_json(const KnownModel& model);

// On one line; bytes that are no UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

// "rank 84-64-64-64-1": a net's role, inputs and layers.
std::string net_text(const Net& net);

}  // namespace triode::model_tool
