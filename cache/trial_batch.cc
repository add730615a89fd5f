// SPDX-License-Identifier: Apache-2.0
#include "cache/trial_batch.h"

#include <algorithm>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"

namespace triode {

Status TrialBatch::add(std::string prefix, const TrialRecord& record, uint64_t sequence) {
  std::string value = TRIODE_TRY(encode_record(record));
  prefix += record.origin.empty() ? trial_id(sequence) : imported_trial_id(value);
  constexpr size_t kHeaderBytes = 16;  // RocksDB's, before and between key and value
  size_bytes_ += prefix.size() + value.size() + kHeaderBytes;
  records_.emplace_back(std::move(prefix), std::move(value));
  return {};
}

Status TrialBatch::move_to(Database& database, rocksdb::WriteBatch& batch) {
  std::sort(records_.begin(), records_.end());
  for (const auto& [key, value] : records_) {
    const rocksdb::Status status = batch.Put(database.measurements(), key, value);
    if (!status.ok()) return database.explain("write to", status);
  }
  records_.clear();
  size_bytes_ = 0;
  return {};
}

}  // namespace triode
