// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <string>

#include "cache/keyed_trial.h"
#include "core/status.h"

namespace triode {

class Database;

// Adds a trial to a batch, under a number from Database::take_sequence, or, if it was imported,
// under its own digest. kInvalidArgument for times that are not finite.
Status add_trial(Database& database, const KeyedTrial& trial, uint64_t sequence,
                 rocksdb::WriteBatch& batch);
// The same for a key that is encoded already: `prefix` is sample_prefix(key).
Status add_trial(Database& database, const std::string& prefix, const TrialRecord& record,
                 uint64_t sequence, rocksdb::WriteBatch& batch);

}  // namespace triode
