// SPDX-License-Identifier: Apache-2.0
#include "cache/measurement_store.h"

#include <rocksdb/iterator.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "cache/database.h"
#include "cache/record_codec.h"
#include "core/key.h"

namespace triode {
namespace {

// The parts of a key that core/key.h joined; empty for a key that it did not make.
std::optional<SampleKey> split_key(std::string_view key) {
  const size_t target_end = key.find('\n');
  if (target_end == std::string_view::npos) return std::nullopt;
  const size_t problem_end = key.find('\n', target_end + 1);
  if (problem_end == std::string_view::npos) return std::nullopt;
  return SampleKey{.device = std::string(key.substr(0, target_end)),
                   .problem = std::string(key.substr(target_end + 1, problem_end - target_end - 1)),
                   .config = std::string(key.substr(problem_end + 1)),
                   .validity = {}};
}

// Smaller is better. A trial without samples has no time to compare.
auto rank_of(const TrialRecord& record) {
  const bool is_timed = record.measurement.count > 0;
  const int group = record.outcome.ok() && is_timed                             ? 0
                    : record.outcome.kind == OutcomeKind::kUnstable && is_timed ? 1
                                                                                : 2;
  return std::pair(group, record.measurement.median_ns);
}

}  // namespace

MeasurementStore::MeasurementStore(std::shared_ptr<Database> database)
    : database_(std::move(database)) {}

MeasurementStore::~MeasurementStore() = default;

Result<std::unique_ptr<MeasurementStore>> MeasurementStore::open(const std::string& path,
                                                                 StoreMode mode) {
  std::unique_ptr<Database> database = TRIODE_TRY(Database::open(path, mode));
  return std::make_unique<MeasurementStore>(std::move(database));
}

Status MeasurementStore::put(const Target& target, const Problem& problem, const Space& space,
                             const Config& config, const TrialRecord& record) {
  const ConfigTrial trial = {config, record};
  return put_all(target, problem, space, {&trial, 1});
}

Status MeasurementStore::put_all(const Target& target, const Problem& problem, const Space& space,
                                 std::span<const ConfigTrial> trials) {
  rocksdb::WriteBatch batch;
  for (const ConfigTrial& trial : trials) {
    const std::string value = TRIODE_TRY(encode_record(trial.record));
    const std::string key = config_key(target, problem, space, trial.config);
    const rocksdb::Status status = batch.Put(database_->measurements(), key, value);
    if (!status.ok()) return database_->explain("write to", status);
  }
  return database_->write(batch);
}

Result<FoundTrials> MeasurementStore::find(const Target& target, const Problem& problem) const {
  FoundTrials found;
  const std::string prefix = problem_key(target, problem);
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate_measurements();
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    Result<TrialRecord> record = decode_record(at->value().ToStringView());
    if (!record.ok()) {
      ++found.damaged;
      continue;
    }
    found.trials.push_back({at->key().ToString().substr(prefix.size()), std::move(record).take()});
  }
  if (!at->status().ok()) return database_->explain("read", at->status());
  std::stable_sort(found.trials.begin(), found.trials.end(),
                   [](const StoredTrial& x, const StoredTrial& y) {
                     return rank_of(x.record) < rank_of(y.record);
                   });
  return found;
}

Result<StoreCounts> MeasurementStore::for_each(const Visit& visit) const {
  StoreCounts counts;
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate_measurements();
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const std::optional<SampleKey> key = split_key(at->key().ToStringView());
    const Result<TrialRecord> record = decode_record(at->value().ToStringView());
    if (!key || !record.ok()) {
      ++counts.damaged;
      continue;
    }
    ++counts.records;
    if (!visit(*key, *record)) break;
  }
  if (!at->status().ok()) return database_->explain("read", at->status());
  return counts;
}

Result<StoreCounts> MeasurementStore::count() const {
  return for_each([](const SampleKey&, const TrialRecord&) { return true; });
}

}  // namespace triode
