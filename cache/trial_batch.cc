// SPDX-License-Identifier: Apache-2.0
#include "cache/trial_batch.h"

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"

namespace triode {

Status add_trial(Database& database, const KeyedTrial& trial, uint64_t sequence,
                 rocksdb::WriteBatch& batch) {
  return add_trial(database, sample_prefix(trial.key), trial.record, sequence, batch);
}

Status add_trial(Database& database, const std::string& prefix, const TrialRecord& record,
                 uint64_t sequence, rocksdb::WriteBatch& batch) {
  const std::string value = TRIODE_TRY(encode_record(record));
  const std::string id = record.origin.empty() ? trial_id(sequence) : imported_trial_id(value);
  const rocksdb::Status status = batch.Put(database.measurements(), prefix + id, value);
  return status.ok() ? Status() : database.explain("write to", status);
}

}  // namespace triode
