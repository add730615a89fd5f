// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/database.h"
#include "cache/sample_key.h"
#include "cache/trial_record.h"
#include "core/status.h"

namespace triode {

// Walks the measurements in key order, one key (with all its trials) at a time. Sees the database
// as it was when this was made. For one thread.
class TrialCursor {
 public:
  // Of the keys that begin with `prefix`, which ends in '\n' or is empty: of all.
  explicit TrialCursor(const Database& database, const std::string& prefix = {},
                       Reading reading = Reading::kSome);
  TrialCursor(const TrialCursor&) = delete;
  TrialCursor& operator=(const TrialCursor&) = delete;

  void seek(std::string_view bytes) { at_->Seek(bytes); }
  void seek_to_first() { at_->SeekToFirst(); }
  bool is_valid() const { return at_->Valid(); }
  std::string_view bytes() const { return at_->key().ToStringView(); }
  bool is_within(std::string_view prefix) const {
    return is_valid() && at_->key().starts_with(prefix);
  }

  // Reads all trials of the key that the cursor is at, and moves behind them. False if none of them
  // was readable; they are counted as damaged.
  bool read_group();
  const SampleKey& key() const { return key_; }                       // of the group read
  const std::string& prefix() const { return prefix_; }               // the same, encoded
  const std::vector<TrialRecord>& trials() const { return trials_; }  // not empty
  const std::vector<std::string>& ids() const { return ids_; }        // of the trials, likewise
  TrialRecord folded() const;

  int64_t damaged() const { return damaged_; }

  // kCorrupt if RocksDB could not read on.
  Status status() const;

 private:
  const Database& database_;
  const std::string end_;       // the first key behind the prefix; empty: none
  const rocksdb::Slice bound_;  // the same, as the iterator wants it
  std::unique_ptr<rocksdb::Iterator> at_;
  SampleKey key_;
  std::string prefix_;
  std::vector<TrialRecord> trials_;
  std::vector<std::string> ids_;
  int64_t damaged_ = 0;
};

}  // namespace triode
