// SPDX-License-Identifier: Apache-2.0
#include "cache/trial_batch.h"

#include <algorithm>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/record_codec.h"
#include "cache/summary_index.h"

namespace triode {
namespace {

constexpr size_t kUsualBytes = 512;  // of a key and a value of ours
constexpr size_t kHeadBytes = 16;    // RocksDB's, before and between key and value

// The id of an imported trial leaves out its place: where rows are put into the file before it, it
// is still the same trial, and takes the new place.
Result<std::string> imported_id(TrialRecord record) {
  record.extra.erase(kPlaceInSource);
  return imported_trial_id(TRIODE_TRY(encode_record(record)));
}

// What it was until that was so, docs/adr/0054-imported-trials-without-their-place.md.
Result<std::string> imported_id_with_place(TrialRecord record) {
  record.extra.erase(kCopyInSource);
  return imported_trial_id(TRIODE_TRY(encode_record(record)));
}

}  // namespace

TrialBatch::TrialBatch(size_t trials) {
  bytes_.reserve(trials * kUsualBytes);
  places_.reserve(trials);
}

Status TrialBatch::add(const SampleKey& key, const TrialRecord& record, uint64_t sequence) {
  const std::string value = TRIODE_TRY(encode_record(record));
  const size_t begin = bytes_.size();
  encode_key(key);
  if (record.origin.empty()) {
    bytes_ += trial_id(sequence);
  } else {
    const std::string id = TRIODE_TRY(imported_id(record));
    const std::string former = TRIODE_TRY(imported_id_with_place(record));
    if (former != id) former_keys_.push_back(bytes_.substr(begin) + former);
    bytes_ += id;
  }
  places_.push_back({begin, bytes_.size() - begin, value.size()});
  bytes_ += value;
  return {};
}

// The same bytes as sample_prefix makes.
void TrialBatch::encode_key(const SampleKey& key) {
  const bool is_first = places_.empty();
  if (is_first || key.problem != last_.problem || key.device != last_.device) {
    problem_ = problem_prefix(key.device, key.problem);
    last_.device = key.device;
    last_.problem = key.problem;
  }
  if (is_first || key.validity != last_.validity) {
    validity_ = join_components({validity_text(key.validity)});
    last_.validity = key.validity;
  }
  bytes_ += problem_;
  append_component(key.config, bytes_);
  bytes_ += validity_;
}

std::string_view TrialBatch::key_at(const Place& place) const {
  return std::string_view(bytes_).substr(place.begin, place.key_size);
}

Status TrialBatch::move_to(Database& database, rocksdb::WriteBatch& batch) {
  std::sort(places_.begin(), places_.end(),
            [this](const Place& a, const Place& b) { return key_at(a) < key_at(b); });
  std::string_view problem;  // of the record before
  for (const Place& place : places_) {
    const std::string_view key = key_at(place);
    if (problem.empty() || !key.starts_with(problem)) {
      problem = key.substr(0, end_of_components(key, 2));
      TRIODE_TRY(mark_stale(database, problem, batch));
    }
    const std::string_view value =
        std::string_view(bytes_).substr(place.begin + place.key_size, place.value_size);
    const rocksdb::Status status = batch.Put(database.measurements(), key, value);
    if (!status.ok()) return database.explain("write to", status);
  }
  for (const std::string& key : former_keys_) {
    if (!TRIODE_TRY(database.get(Family::kMeasurements, key))) continue;
    const rocksdb::Status status = batch.Delete(database.measurements(), key);
    if (!status.ok()) return database.explain("write to", status);
  }
  bytes_.clear();
  places_.clear();
  former_keys_.clear();
  return {};
}

size_t TrialBatch::size_bytes() const {
  return bytes_.size() + places_.size() * kHeadBytes;
}

}  // namespace triode
