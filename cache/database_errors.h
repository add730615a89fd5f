// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "core/status.h"

namespace triode {

// Our word for RocksDB's: what was attempted, on which folder, and what the reader can do.
Status explain_database(std::string_view attempt, const std::string& path,
                        const rocksdb::Status& status);

// Whether RocksDB could not open because another writer, of this process or another, has the lock.
bool is_lock_taken(const rocksdb::Status& status);

}  // namespace triode
