// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/foreign_config.h"
#include "cache/exchange/node.h"
#include "cache/exchange/node_reader.h"
#include "core/status.h"

namespace triode::exchange {

// diode's TritonGEMMConfig as a config of the family "triton".
Result<ForeignConfig> read_diode_config(const NodeReader& reader, const Node& node);

// The object that diode writes. kUnsupported for a config it has no fields for; what it needs and
// the config does not say is filled in as Inductor would, and noted.
Result<Node> diode_config(const ExchangeRow& row, DropList& dropped);

}  // namespace triode::exchange
