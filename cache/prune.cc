// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/write_batch.h>

#include "cache/cache.h"
#include "cache/database.h"
#include "cache/maintenance.h"
#include "cache/quarantine.h"
#include "cache/summary_index.h"
#include "cache/trial_cursor.h"
#include "cache/trial_filter.h"

namespace triode {
namespace {

constexpr size_t kBatchBytes = size_t{4} << 20;
constexpr int64_t kKeysBetweenProgress = 4096;

bool names_measurements(const PruneOptions& options) {
  return options.older_than_unix_s || !options.device.empty() || !options.toolchain.empty() ||
         options.failed_only;
}

// What is not dated, as imported trials are not, is not older than anything.
bool is_older(int64_t when_unix_s, int64_t limit_unix_s) {
  return when_unix_s != 0 && when_unix_s < limit_unix_s;
}

bool is_to_go(const PruneOptions& options, const SampleKey& key, const TrialRecord& record) {
  if (options.older_than_unix_s && !is_older(record.when_unix_s, *options.older_than_unix_s)) {
    return false;
  }
  if (!matches_device({.device = options.device}, key.device)) return false;
  if (key.validity.toolchain.find(options.toolchain) == std::string::npos) return false;
  const bool has_time = record.outcome.ok() || record.outcome.kind == OutcomeKind::kUnstable;
  return !options.failed_only || !has_time;
}

Status commit(Database& database, rocksdb::WriteBatch& batch, bool is_dry_run) {
  if (batch.Count() == 0) return {};
  if (!is_dry_run) TRIODE_TRY(database.write(batch));
  batch.Clear();
  return {};
}

Result<int64_t> prune_measurements(Database& database, const PruneOptions& options,
                                   const Progress& progress) {
  int64_t pruned = 0;
  rocksdb::WriteBatch batch;
  TrialCursor cursor(database);
  cursor.seek_to_first();
  for (int64_t keys = 0; cursor.is_valid(); ++keys) {
    if (progress && keys % kKeysBetweenProgress == 0 && !progress(keys, 0)) {
      return unavailable("pruning was stopped; run it again to go on");
    }
    if (!cursor.read_group()) continue;
    const int64_t before = pruned;
    for (size_t i = 0; i < cursor.trials().size(); ++i) {
      if (!is_to_go(options, cursor.key(), cursor.trials()[i])) continue;
      const rocksdb::Status status =
          batch.Delete(database.measurements(), cursor.prefix() + cursor.ids()[i]);
      if (!status.ok()) return database.explain("prune", status);
      ++pruned;
    }
    if (pruned > before) TRIODE_TRY(mark_stale(database, cursor.prefix(), batch));
    if (batch.GetDataSize() >= kBatchBytes) TRIODE_TRY(commit(database, batch, options.is_dry_run));
  }
  TRIODE_TRY(cursor.status());
  TRIODE_TRY(commit(database, batch, options.is_dry_run));
  return pruned;
}

Result<int64_t> prune_quarantine(Database& database, int64_t before, bool is_dry_run) {
  int64_t pruned = 0;
  rocksdb::WriteBatch batch;
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate(Family::kQuarantine);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    if (!is_older(quarantined_at(at->value().ToStringView()), before)) continue;
    const rocksdb::Status status = batch.Delete(database.family(Family::kQuarantine), at->key());
    if (!status.ok()) return database.explain("prune", status);
    ++pruned;
  }
  if (!at->status().ok()) return database.explain("read", at->status());
  TRIODE_TRY(commit(database, batch, is_dry_run));
  return pruned;
}

// What dropping artifacts down to this would free.
Result<int64_t> artifact_bytes_above(const Cache& cache, int64_t most) {
  int64_t total = 0;
  TRIODE_TRY(cache.artifacts().for_each([&](const ArtifactEntry& entry) {
    total += entry.stored_bytes;
    return true;
  }));
  return total > most ? total - most : 0;
}

}  // namespace

Result<PruneReport> prune(Cache& cache, const PruneOptions& options, const Progress& progress) {
  if (!names_measurements(options) && !options.most_artifact_bytes &&
      !options.quarantined_before_unix_s) {
    return invalid_argument("nothing to prune was named; say what may go");
  }
  if (cache.mode() != StoreMode::kReadWrite && !options.is_dry_run) {
    return unsupported("cannot prune the cache " + cache.path() +
                       ": it was opened for reading only");
  }
  Database& database = cache.database();
  PruneReport report;
  if (names_measurements(options)) {
    report.measurements = TRIODE_TRY(prune_measurements(database, options, progress));
  }
  if (options.quarantined_before_unix_s) {
    report.quarantined = TRIODE_TRY(
        prune_quarantine(database, *options.quarantined_before_unix_s, options.is_dry_run));
  }
  if (options.most_artifact_bytes) {
    const int64_t most = *options.most_artifact_bytes;
    report.artifact_bytes = options.is_dry_run ? TRIODE_TRY(artifact_bytes_above(cache, most))
                                               : TRIODE_TRY(cache.artifacts().shrink_to(most));
  }
  return report;
}

}  // namespace triode
