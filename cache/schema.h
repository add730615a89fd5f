// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <optional>
#include <string>

#include "core/status.h"

namespace triode {

class Database;

// Of the layout of keys and families. 1: one family of measurements by target fingerprint, problem
// and config. 2: docs/adr/0009-cache-layout.md. 3: docs/adr/0035-summaries-of-problems.md.
inline constexpr int kSchema = 3;
inline constexpr const char* kSchemaKey = "schema_version";
// Below it every number may have been handed out by Database::take_sequence.
inline constexpr const char* kSequenceKey = "next_sequence";

// The schema of the database at `path`; empty if whoever made it was ended before its schema was
// written. Reads only, so that what is refused stays as it is.
//   kUnsupported      newer than this build
//   kInvalidArgument  a RocksDB database, but not a cache
//   kCorrupt          unreadable
Result<std::optional<int>> read_schema(const std::string& path);
// The same of one that is open.
Result<std::optional<int>> read_schema(const Database& database);

}  // namespace triode
