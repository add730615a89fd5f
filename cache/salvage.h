// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cache/families.h"
#include "core/status.h"

namespace triode {

class Database;

// What a walk over a family is told. Keys and values live as long as the call.
struct SalvageVisitor {
  std::function<Status(std::string_view key, std::string_view value)> record;
  // Records after `last_read` cannot be read: RocksDB's block, or file, is damaged.
  std::function<void(const std::string& last_read, const std::string& reason)> gap;
};

// Visits every record of the family that can still be read, in key order, and goes on behind blocks
// that cannot. Only an error of the visitor ends it.
Status walk_readable(const Database& database, Family family, const SalvageVisitor& visitor);

}  // namespace triode
