// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/sample_key.h"
#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

class Database;

// Trials on their way into a batch of RocksDB's. Handed over in key order, which its memory table
// takes faster. For one thread.
class TrialBatch {
 public:
  // About what is needed for so many, so that nothing moves while they come in.
  explicit TrialBatch(size_t trials);

  // Adds a trial under a number from Database::take_sequence, or, if it was imported, under its own
  // digest. Trials of one problem cost less one after the other. kInvalidArgument for times that
  // are not finite.
  Status add(const SampleKey& key, const TrialRecord& record, uint64_t sequence);

  // Moves all to the end of `batch`, with marks for the summaries of their problems.
  Status move_to(Database& database, rocksdb::WriteBatch& batch);

  // About what they will take there, for its constructor.
  size_t size_bytes() const;

 private:
  // A record's place in bytes_: the key, and the value behind it.
  struct Place {
    size_t begin, key_size, value_size;
  };
  std::string_view key_at(const Place& place) const;
  void encode_key(const SampleKey& key);

  std::string bytes_;
  std::vector<Place> places_;
  std::vector<std::string> former_keys_;  // which older versions gave the same imported trials
  // The last key's, encoded: of the next one mostly only the config is another.
  SampleKey last_;
  std::string problem_;   // device and problem
  std::string validity_;  // what stands behind the config
};

}  // namespace triode
