// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/status.h"

namespace triode::report_tool {

// Where the charting library lies that the page carries: ../share/triode/plotly.min.js of the
// running program. kNotFound, with what to do, if it is not there.
Result<std::string> read_chart_library();

// One HTML page that needs nothing else and asks no server for anything.
std::string report_page(const nlohmann::ordered_json& facts, std::string_view chart_library);

}  // namespace triode::report_tool
