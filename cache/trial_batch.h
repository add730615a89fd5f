// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

class Database;

// Trials on their way into a batch of RocksDB's. Handed over in key order, which its memory table
// takes faster. For one thread.
class TrialBatch {
 public:
  // Adds a trial under a number from Database::take_sequence, or, if it was imported, under its own
  // digest. `prefix` is sample_prefix of its key. kInvalidArgument for times that are not finite.
  Status add(std::string prefix, const TrialRecord& record, uint64_t sequence);

  // Moves all to the end of `batch`.
  Status move_to(Database& database, rocksdb::WriteBatch& batch);

  // About what they will take there, for its constructor.
  size_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<std::pair<std::string, std::string>> records_;  // keys and values
  size_t size_bytes_ = 0;
};

}  // namespace triode
