// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/status.h"

namespace triode {

// The folder around the database: whose it is, and who writes there.

// Makes the folder if there is none. kInvalidArgument if it holds files of others: RocksDB would
// put its own among them.
Status make_cache_folder(const std::string& path);

bool has_database(const std::string& path);

// The file OWNER names the writer and when it began, for messages only; the lock is RocksDB's.
void write_owner(const std::string& path);
void remove_owner(const std::string& path);
// The pid in it, if that process lives.
std::optional<int64_t> living_owner(const std::string& path);

// kUnavailable: who writes there.
Status explain_lock(const std::string& path);

// Bytes of all files in the folder and below.
int64_t folder_bytes(const std::string& path);

}  // namespace triode
