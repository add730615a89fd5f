// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cache/exchange/node.h"
#include "cache/exchange/node_reader.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::exchange {

// diode's MMShape, the text that its maps have as keys:
//   {"version": 1, "B": 1, "M": 32, "M_dtype": "float16", "N": 32, "K": 32, ...}
// It knows the strides of the result and of nothing else.

// The problem of an operation on such a shape. `key` stands at `node` in the file. Not set if it is
// a right shape that Triode has no problem for; `reason` then says why.
Result<std::optional<Problem>> problem_of_diode(const NodeReader& reader, const Node& node,
                                                std::string_view operation, std::string_view key,
                                                std::string& reason);

// The text that diode writes for a problem.
std::string diode_shape(const Problem& problem);

}  // namespace triode::exchange
