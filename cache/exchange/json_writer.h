// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/exchange/node.h"

namespace triode::exchange {

// JSON as Python's json.dumps writes it, byte for byte, since that is what the tools at the other
// end use: ", " and ": " between parts, other characters than ASCII as \u escapes, numbers as repr
// has them. `indent` spaces a level; 0 puts all on one line. A number that was read keeps the form
// it had.
std::string write_json(const Node& node, int indent = 0);

// A text in quotes, escaped.
std::string json_text(std::string_view text);

// As Python's repr: the shortest digits that give the same double again; "Infinity" as json.dumps.
std::string python_number(double value);

}  // namespace triode::exchange
