// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "cache/database.h"
#include "cache/database_folder.h"
#include "cache/fold.h"
#include "cache/maintenance.h"
#include "cache/record_codec.h"
#include "cache/record_counts.h"
#include "cache/summary_index.h"
#include "cache/trial_cursor.h"

namespace triode {
namespace {

constexpr size_t kBatchBytes = size_t{4} << 20;
constexpr int64_t kKeysBetweenProgress = 4096;

// Folds the trials of the key that the cursor has read, where that loses nothing: one record under
// the last of their numbers takes the place of them all. Returns how many remain.
Result<int64_t> fold_group(Database& database, const TrialCursor& cursor,
                           rocksdb::WriteBatch& batch) {
  const auto& trials = cursor.trials();
  std::vector<TrialRecord> foldable;
  std::vector<size_t> positions;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].origin.empty()) continue;
    if (!foldable.empty() && !may_fold(foldable.front(), trials[i])) continue;
    foldable.push_back(trials[i]);
    positions.push_back(i);
  }
  const auto all = static_cast<int64_t>(trials.size());
  if (foldable.size() < 2) return all;
  rocksdb::ColumnFamilyHandle* family = database.measurements();
  const std::string value = TRIODE_TRY(encode_record(fold(foldable)));
  rocksdb::Status status =
      batch.Put(family, cursor.prefix() + cursor.ids()[positions.back()], value);
  for (size_t i = 0; i + 1 < positions.size() && status.ok(); ++i) {
    status = batch.Delete(family, cursor.prefix() + cursor.ids()[positions[i]]);
  }
  if (!status.ok()) return database.explain("compact", status);
  TRIODE_TRY(mark_stale(database, cursor.prefix(), batch));
  return all - static_cast<int64_t>(foldable.size()) + 1;
}

Status fold_all(Database& database, const Progress& progress, CompactReport& report) {
  const int64_t about = about_records(database, Family::kMeasurements);
  rocksdb::WriteBatch batch;
  TrialCursor cursor(database);
  cursor.seek_to_first();
  for (int64_t keys = 0; cursor.is_valid(); ++keys) {
    if (progress && keys % kKeysBetweenProgress == 0 && !progress(report.trials_before, about)) {
      return unavailable("compacting was stopped; run it again to go on");
    }
    if (!cursor.read_group()) continue;
    report.trials_before += static_cast<int64_t>(cursor.trials().size());
    report.trials_after += TRIODE_TRY(fold_group(database, cursor, batch));
    if (batch.GetDataSize() < kBatchBytes) continue;
    TRIODE_TRY(database.write(batch));
    batch.Clear();
  }
  TRIODE_TRY(cursor.status());
  return batch.Count() == 0 ? Status() : database.write(batch);
}

}  // namespace

Result<CompactReport> compact(Cache& cache, const Progress& progress) {
  Database& database = cache.database();
  CompactReport report;
  report.bytes_before = folder_bytes(cache.path());
  TRIODE_TRY(fold_all(database, progress, report));
  TRIODE_TRY(refresh_summaries(database, INT64_MAX, progress));
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const rocksdb::Status status = database.rocksdb().CompactRange(
        options, database.family(static_cast<Family>(i)), nullptr, nullptr);
    if (!status.ok()) return database.explain("compact", status);
  }
  report.bytes_after = folder_bytes(cache.path());
  return report;
}

}  // namespace triode
