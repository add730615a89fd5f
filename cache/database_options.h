// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <string>
#include <vector>

#include "cache/store_options.h"

namespace triode {

// RocksDB's options. Only what RocksDB's own tools have too: no merge operator, compaction filter,
// comparator or prefix extractor of ours.
rocksdb::Options database_options(const StoreOptions& options);

// All families, with those options.
std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors(const rocksdb::Options& options);

}  // namespace triode
