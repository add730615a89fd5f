// SPDX-License-Identifier: Apache-2.0
#include "cache/migration.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/quarantine.h"
#include "cache/summary_index.h"

namespace triode {
namespace {

constexpr int64_t kRecordsPerBatch = 4096;

// The fields of a fingerprint, still escaped.
std::vector<std::string_view> fields_of(std::string_view fingerprint) {
  std::vector<std::string_view> fields;
  size_t begin = 0;
  for (size_t i = 0; i <= fingerprint.size(); ++i) {
    if (i < fingerprint.size() && fingerprint[i] == '\\') {
      ++i;
    } else if (i >= fingerprint.size() || fingerprint[i] == '|') {
      fields.push_back(fingerprint.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return fields;
}

std::string unescaped(std::string_view field) {
  std::string out;
  for (size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      out += field[i];
      continue;
    }
    ++i;
    out += field[i] == 'n' ? '\n' : field[i] == 'r' ? '\r' : field[i];
  }
  return out;
}

// Moves one record; a key that is none goes to quarantine, one of the present layout stays.
Status move_record(Database& database, std::string_view old_key, std::string_view value,
                   rocksdb::WriteBatch& batch) {
  if (end_of_components(old_key, 4) != std::string_view::npos) return {};
  rocksdb::ColumnFamilyHandle* family = database.measurements();
  if (const std::optional<SampleKey> key = parse_key_of_schema_1(old_key)) {
    const uint64_t sequence = TRIODE_TRY(database.take_sequence(1));
    const std::string new_key = sample_prefix(*key) + trial_id(sequence);
    if (!batch.Put(family, new_key, value).ok()) return internal_error("a batch takes no record");
  } else {
    TRIODE_TRY(quarantine(
        database,
        {name_of(Family::kMeasurements), std::string(old_key), "the key is none of schema 1"},
        value, batch, std::time(nullptr)));
  }
  if (!batch.Delete(family, old_key).ok()) return internal_error("a batch takes no record");
  return {};
}

}  // namespace

std::optional<SampleKey> parse_key_of_schema_1(std::string_view key) {
  const size_t target_end = key.find('\n');
  if (target_end == std::string_view::npos) return std::nullopt;
  const size_t problem_end = key.find('\n', target_end + 1);
  if (problem_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> fields = fields_of(key.substr(0, target_end));
  // device, isa, toolchain, driver, cores, three cache sizes
  if (fields.size() != 8) return std::nullopt;
  SampleKey parsed;
  for (const size_t field : std::array<size_t, 6>{0, 1, 4, 5, 6, 7}) {
    if (field != 0) parsed.device += '|';
    parsed.device += fields[field];
  }
  parsed.validity.toolchain = unescaped(fields[2]);
  parsed.validity.driver = unescaped(fields[3]);
  parsed.problem = key.substr(target_end + 1, problem_end - target_end - 1);
  parsed.config = key.substr(problem_end + 1);
  return parsed;
}

namespace {

Status bring_to_schema_2(Database& database) {
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate_measurements();
  rocksdb::WriteBatch batch;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    TRIODE_TRY(move_record(database, at->key().ToStringView(), at->value().ToStringView(), batch));
    if (batch.Count() < kRecordsPerBatch) continue;
    TRIODE_TRY(database.write(batch));
    batch.Clear();
  }
  if (!at->status().ok()) return database.explain("bring up to date", at->status());
  return batch.Count() == 0 ? Status() : database.write(batch);
}

}  // namespace

Status migrate_to_present_schema(Database& database, int from) {
  if (from < 1) return internal_error("no way from schema " + std::to_string(from));
  if (from == 1) TRIODE_TRY(bring_to_schema_2(database));
  return mark_all_stale(database);
}

}  // namespace triode
