// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <string_view>

#include "cache/maintenance.h"
#include "core/status.h"

namespace triode {

class Database;

// Adds to the batch a copy of a damaged record, with its key and the reason, where nobody reads it
// as a record. The caller deletes the record itself, in the same batch.
Status quarantine(Database& database, const Damage& damage, std::string_view value,
                  rocksdb::WriteBatch& batch, int64_t now_unix_s);

// When a quarantined record was put there; 0: not known.
int64_t quarantined_at(std::string_view value);

}  // namespace triode
