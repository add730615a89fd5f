// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>

#include "cache/exchange/node.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// JSON as RFC 8259 has it, or with the one thing that Python's json module adds and tools rely on.
enum class JsonDialect : uint8_t {
  kStrict,
  kInfinity,  // `Infinity` is a number: Triton writes it for a config that did not run
};

// Reads the whole of a file as one JSON value. kInvalidArgument, with line and column, for anything
// else: text after the value, two equal names in an object, NaN, numbers beyond a double or an
// int64, invalid UTF-8, more than kMostDepth levels. Memory is some ten times the text.
Result<Node> read_json(const SourceFile& file, JsonDialect dialect = JsonDialect::kStrict);

// The same for a text inside a file, at `offset` there: errors point to its beginning.
Result<Node> read_json_inside(const SourceFile& file, size_t offset, std::string_view text);

// No format here goes deeper than ten levels; the reader recurses once per level.
inline constexpr int kMostDepth = 64;

}  // namespace triode::exchange
