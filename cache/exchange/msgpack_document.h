// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>

#include "cache/exchange/node.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// Reads the whole of a file as one msgpack value whose map keys are texts. kInvalidArgument, with
// the byte, for anything else, within the limits of read_json; also for binary and extension types,
// which no format here has.
Result<Node> read_msgpack(const SourceFile& file);

// As Python's msgpack.packb(..., use_bin_type=True) writes it: the shortest form of each number.
std::string write_msgpack(const Node& node);

}  // namespace triode::exchange
