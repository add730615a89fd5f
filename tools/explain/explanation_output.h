// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/cache/terminal.h"
#include "tools/explain/explanation.h"

namespace triode::explain_tool {

// How much is printed.
struct OutputLimits {
  size_t trials = 10;  // 0: all
  bool with_features = false;
};

// The story for people: what runs, what it beat, what was tried, what the model thinks, and what
// would change it.
std::string explanation_text(const Explanation& told, const OutputLimits& limits,
                             const cache_tool::Terminal& terminal);

nlohmann::ordered_json explanation_json(const Explanation& told);

}  // namespace triode::explain_tool
