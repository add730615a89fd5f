// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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
// int64, invalid UTF-8, more than kMostDepth levels or kMostValues values.
Result<Node> read_json(const SourceFile& file, JsonDialect dialect = JsonDialect::kStrict);

// The same for a text inside a file, at `offset` there: errors point to its beginning.
Result<Node> read_json_inside(const SourceFile& file, size_t offset, std::string_view text);

// No format here goes deeper than ten levels; the reader recurses once per level.
inline constexpr int kMostDepth = 64;

// Values in a document. Each takes a Node, 112 bytes, and twice that while an array grows or with
// its name: some gigabyte in all, where a file of "0,0,0" would take fifteen. What real tables have
// in hundreds of megabytes.
inline constexpr size_t kMostValues = size_t{8} << 20;
// Says so, and what to do.
std::string too_many_values();

}  // namespace triode::exchange
