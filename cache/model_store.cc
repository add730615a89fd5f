// SPDX-License-Identifier: Apache-2.0
#include "cache/model_store.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "cache/content_digest.h"
#include "cache/database.h"
#include "cache/model_codec.h"

namespace triode {
namespace {

// Promotions that can be undone one after the other.
constexpr size_t kMostRemembered = 16;

}  // namespace

ModelStore::ModelStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}
ModelStore::~ModelStore() = default;

Result<std::string> ModelStore::put(const std::string& family, std::string_view snapshot,
                                    int64_t now_unix_s,
                                    const std::map<std::string, std::string>& notes) {
  const std::string digest = content_digest(snapshot);
  ModelEntry entry = {.digest = digest,
                      .family = family,
                      .size_bytes = static_cast<int64_t>(snapshot.size()),
                      .made_unix_s = now_unix_s,
                      .notes = notes};
  // A damaged one is made anew.
  if (auto known = this->entry(digest); known.ok() && *known) {
    entry.unknown = (*known)->unknown;
    entry.unknown_count = (*known)->unknown_count;
  }
  rocksdb::WriteBatch batch;
  rocksdb::ColumnFamilyHandle* models = database_->family(Family::kModels);
  rocksdb::Status status = batch.Put(models, model_entry_key(digest), encode_model_entry(entry));
  if (status.ok()) {
    status = batch.Put(models, model_snapshot_key(digest), encode_model_snapshot(snapshot));
  }
  if (!status.ok()) return database_->explain("write to", status);
  TRIODE_TRY(database_->write(batch));
  return digest;
}

Result<std::optional<ModelEntry>> ModelStore::entry(const std::string& digest) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kModels, model_entry_key(digest)));
  if (!value) return std::optional<ModelEntry>();
  return std::optional(TRIODE_TRY(decode_model_entry(digest, *value)));
}

Result<std::optional<std::string>> ModelStore::snapshot(const std::string& digest) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kModels, model_snapshot_key(digest)));
  if (!value) return std::optional<std::string>();
  std::string snapshot = TRIODE_TRY(decode_model_snapshot(*value));
  if (content_digest(snapshot) != digest) {
    return corrupt("the snapshot " + digest + " in the cache " + database_->path() +
                   " has other bytes; run `triode cache verify --repair`");
  }
  return std::optional(std::move(snapshot));
}

Result<std::vector<ModelEntry>> ModelStore::list() const {
  std::vector<ModelEntry> entries;
  const std::string prefix = model_entry_key("");
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate(Family::kModels);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::string digest = at->key().ToString().substr(prefix.size());
    Result<ModelEntry> entry = decode_model_entry(digest, at->value().ToStringView());
    if (entry.ok()) entries.push_back(std::move(entry).take());
  }
  if (!at->status().ok()) return database_->explain("read", at->status());
  std::stable_sort(entries.begin(), entries.end(), [](const ModelEntry& a, const ModelEntry& b) {
    return a.made_unix_s < b.made_unix_s;
  });
  return entries;
}

Status ModelStore::promote(const std::string& digest) {
  const std::optional<ModelEntry> known = TRIODE_TRY(entry(digest));
  if (!known) {
    return not_found("the cache " + database_->path() + " has no model " + digest +
                     "; `triode model ls` lists what it has");
  }
  Promotion next{.digest = digest, .before = {}};
  if (std::optional<Promotion> last = TRIODE_TRY(promotion(known->family))) {
    if (last->digest == digest) return {};
    next.before = std::move(last->before);
    next.unknown = std::move(last->unknown);
    next.unknown_count = last->unknown_count;
    next.before.insert(next.before.begin(), last->digest);
    next.before.resize(std::min(next.before.size(), kMostRemembered));
  }
  rocksdb::WriteBatch batch;
  const rocksdb::Status status = batch.Put(database_->family(Family::kModels),
                                           promoted_key(known->family), encode_promotion(next));
  if (!status.ok()) return database_->explain("write to", status);
  return database_->write(batch);
}

Result<std::optional<std::string>> ModelStore::undo_promotion(const std::string& family) {
  const std::optional<Promotion> last = TRIODE_TRY(promotion(family));
  if (!last) {
    return not_found("no model is promoted for " + family + " in the cache " + database_->path());
  }
  Promotion next{
      .digest = {}, .before = {}, .unknown = last->unknown, .unknown_count = last->unknown_count};
  for (auto it = last->before.begin(); it != last->before.end() && next.digest.empty(); ++it) {
    if (!TRIODE_TRY(entry(*it))) continue;
    next.digest = *it;
    next.before.assign(it + 1, last->before.end());
  }
  rocksdb::WriteBatch batch;
  rocksdb::ColumnFamilyHandle* models = database_->family(Family::kModels);
  const std::string key = promoted_key(family);
  const rocksdb::Status status = next.digest.empty()
                                     ? batch.Delete(models, key)
                                     : batch.Put(models, key, encode_promotion(next));
  if (!status.ok()) return database_->explain("write to", status);
  TRIODE_TRY(database_->write(batch));
  return next.digest.empty() ? std::optional<std::string>() : std::optional(next.digest);
}

Result<std::optional<Promotion>> ModelStore::promotion(const std::string& family) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kModels, promoted_key(family)));
  if (!value) return std::optional<Promotion>();
  return std::optional(TRIODE_TRY(decode_promotion(*value)));
}

Result<std::optional<std::string>> ModelStore::promoted(const std::string& family) const {
  const std::optional<Promotion> last = TRIODE_TRY(promotion(family));
  return last ? std::optional(last->digest) : std::optional<std::string>();
}

Status ModelStore::drop(const std::string& digest) {
  const std::optional<ModelEntry> known = TRIODE_TRY(entry(digest));
  if (!known) return not_found("the cache " + database_->path() + " has no model " + digest);
  const std::optional<std::string> in_force = TRIODE_TRY(promoted(known->family));
  if (in_force && *in_force == digest) {
    return invalid_argument("the model " + digest + " is in force for " + known->family +
                            "; promote another first");
  }
  rocksdb::WriteBatch batch;
  rocksdb::ColumnFamilyHandle* models = database_->family(Family::kModels);
  rocksdb::Status status = batch.Delete(models, model_entry_key(digest));
  if (status.ok()) status = batch.Delete(models, model_snapshot_key(digest));
  if (!status.ok()) return database_->explain("write to", status);
  return database_->write(batch);
}

}  // namespace triode
