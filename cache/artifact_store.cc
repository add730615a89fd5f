// SPDX-License-Identifier: Apache-2.0
#include "cache/artifact_store.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/artifact_codec.h"
#include "cache/content_digest.h"
#include "cache/database.h"
#include "cache/plan_store.h"

namespace triode {
namespace {

// Room made beyond what is needed, so that not every put has to make some.
constexpr double kShareKept = 0.9;

// Digests that plans in force run.
Result<std::set<std::string>> digests_of_plans(const std::shared_ptr<Database>& database) {
  std::set<std::string> digests;
  TRIODE_TRY(PlanStore(database).for_each([&](const PlanKey&, const PlanRecord& record) {
    if (!record.is_withdrawn && !record.artifact.empty()) digests.insert(record.artifact);
    return true;
  }));
  return digests;
}

Status drop_from(Database& database, const std::set<std::string>& digests) {
  rocksdb::ColumnFamilyHandle* artifacts = database.family(Family::kArtifacts);
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (const std::string& digest : digests) {
    if (status.ok()) status = batch.Delete(artifacts, artifact_code_key(digest));
    if (status.ok()) status = batch.Delete(artifacts, artifact_entry_key(digest));
  }
  const std::string prefix = made_for_prefix();
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate(Family::kArtifacts);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix) && status.ok(); at->Next()) {
    const Result<std::string> digest = decode_made_for(at->value().ToStringView());
    if (digest.ok() && digests.contains(*digest)) status = batch.Delete(artifacts, at->key());
  }
  if (status.ok()) status = at->status();
  if (!status.ok()) return database.explain("drop artifacts of", status);
  return database.write(batch);
}

}  // namespace

ArtifactStore::ArtifactStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}
ArtifactStore::~ArtifactStore() = default;

Status ArtifactStore::note_stored(int64_t added) {
  if (stored_bytes_) {
    *stored_bytes_ += added;
    return {};
  }
  int64_t total = 0;
  TRIODE_TRY(for_each([&](const ArtifactEntry& entry) {
    total += entry.stored_bytes;
    return true;
  }));
  stored_bytes_ = total;
  return {};
}

Result<std::string> ArtifactStore::put(const SampleKey& key, std::string_view code,
                                       const ArtifactFacts& facts, int64_t now_unix_s) {
  const std::string digest = content_digest(code);
  const std::string packed = encode_artifact_code(code);
  const auto size = static_cast<int64_t>(packed.size());
  const int64_t most = database_->options().most_artifact_bytes;
  if (size > most) {
    return resource_exhausted("an artifact of " + std::to_string(size) +
                              " bytes is larger than the cache keeps of them all");
  }
  const std::lock_guard lock(mutex_);
  const std::optional<ArtifactEntry> known = TRIODE_TRY(entry(digest));
  const std::optional<std::string> stored = TRIODE_TRY(this->code(digest));
  if (stored && *stored != code) {
    return internal_error("two artifacts have the digest " + digest + "; the second is not kept");
  }
  ArtifactEntry entry =
      known.value_or(ArtifactEntry{.digest = digest,
                                   .facts = facts,
                                   .code_bytes = static_cast<int64_t>(code.size()),
                                   .stored_bytes = size,
                                   .made_unix_s = now_unix_s,
                                   .used_unix_s = now_unix_s});
  entry.used_unix_s = std::max(entry.used_unix_s, now_unix_s);
  rocksdb::ColumnFamilyHandle* artifacts = database_->family(Family::kArtifacts);
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  if (!stored) status = batch.Put(artifacts, artifact_code_key(digest), packed);
  if (status.ok()) {
    status = batch.Put(artifacts, artifact_entry_key(digest), encode_artifact_entry(entry));
  }
  if (status.ok()) status = batch.Put(artifacts, made_for_key(key), encode_made_for(digest));
  if (!status.ok()) return database_->explain("write to", status);
  TRIODE_TRY(database_->write(batch));
  TRIODE_TRY(note_stored(known ? 0 : size));
  if (*stored_bytes_ > most) {
    TRIODE_TRY(shrink_locked(
        std::max(size, static_cast<int64_t>(static_cast<double>(most) * kShareKept))));
  }
  return digest;
}

Result<std::optional<std::string>> ArtifactStore::find(const SampleKey& key) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kArtifacts, made_for_key(key)));
  if (!value) return std::optional<std::string>();
  Result<std::string> digest = decode_made_for(*value);
  if (!digest.ok() || !TRIODE_TRY(entry(*digest))) return std::optional<std::string>();
  return std::optional(std::move(digest).take());
}

Result<std::optional<ArtifactEntry>> ArtifactStore::entry(const std::string& digest) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kArtifacts, artifact_entry_key(digest)));
  if (!value) return std::optional<ArtifactEntry>();
  Result<ArtifactEntry> entry = decode_artifact_entry(digest, *value);
  return entry.ok() ? std::optional(std::move(entry).take()) : std::nullopt;
}

Result<std::optional<std::string>> ArtifactStore::code(const std::string& digest) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kArtifacts, artifact_code_key(digest)));
  if (!value) return std::optional<std::string>();
  Result<std::string> code = decode_artifact_code(*value);
  return code.ok() ? std::optional(std::move(code).take()) : std::nullopt;
}

Status ArtifactStore::touch(const std::string& digest, int64_t now_unix_s) {
  const std::lock_guard lock(mutex_);
  std::optional<ArtifactEntry> known = TRIODE_TRY(entry(digest));
  if (!known) return not_found("the cache " + database_->path() + " has no artifact " + digest);
  known->used_unix_s = std::max(known->used_unix_s, now_unix_s);
  rocksdb::WriteBatch batch;
  const rocksdb::Status status =
      batch.Put(database_->family(Family::kArtifacts), artifact_entry_key(digest),
                encode_artifact_entry(*known));
  if (!status.ok()) return database_->explain("write to", status);
  return database_->write(batch, Weight::kSingle);
}

Status ArtifactStore::for_each(const std::function<bool(const ArtifactEntry&)>& visit) const {
  const std::string prefix = artifact_entry_key("");
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate(Family::kArtifacts);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    const std::string digest = at->key().ToString().substr(prefix.size());
    const Result<ArtifactEntry> entry = decode_artifact_entry(digest, at->value().ToStringView());
    if (entry.ok() && !visit(*entry)) break;
  }
  return at->status().ok() ? Status() : database_->explain("read", at->status());
}

Result<int64_t> ArtifactStore::shrink_to(int64_t stored_bytes) {
  const std::lock_guard lock(mutex_);
  TRIODE_TRY(note_stored(0));
  return shrink_locked(stored_bytes);
}

Result<int64_t> ArtifactStore::shrink_locked(int64_t stored_bytes) {
  const std::set<std::string> of_plans = TRIODE_TRY(digests_of_plans(database_));
  std::vector<ArtifactEntry> entries;
  TRIODE_TRY(for_each([&](const ArtifactEntry& entry) {
    entries.push_back(entry);
    return true;
  }));
  const auto usefulness = [&of_plans](const ArtifactEntry& entry) {
    return std::tuple(of_plans.contains(entry.digest), entry.used_unix_s, entry.digest);
  };
  std::sort(entries.begin(), entries.end(), [&](const ArtifactEntry& a, const ArtifactEntry& b) {
    return usefulness(a) < usefulness(b);
  });
  int64_t dropped = 0;
  std::set<std::string> digests;
  for (const ArtifactEntry& entry : entries) {
    if (*stored_bytes_ - dropped <= stored_bytes) break;
    digests.insert(entry.digest);
    dropped += entry.stored_bytes;
  }
  if (digests.empty()) return 0;
  TRIODE_TRY(drop_from(*database_, digests));
  *stored_bytes_ -= dropped;
  return dropped;
}

}  // namespace triode
