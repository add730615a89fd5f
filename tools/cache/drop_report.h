// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cache/exchange/exchange_table.h"
#include "tools/cache/context.h"

namespace triode::cache_tool {

// What did not come along, for people, on stderr: a line for each reason. Nothing if nothing was.
void print_dropped(const exchange::DropList& dropped, const Context& context);

nlohmann::ordered_json json_of(const exchange::DropList& dropped);

}  // namespace triode::cache_tool
