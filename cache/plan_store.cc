// SPDX-License-Identifier: Apache-2.0
#include "cache/plan_store.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/plan_codec.h"

namespace triode {
namespace {

// Why a plan of this key is none for whoever asks with `wanted`, of the same device and problem.
std::string why_no_answer(const PlanKey& stored, const PlanKey& wanted) {
  std::string why = why_prior(stored.validity, wanted.validity);
  const auto add = [&why](const std::string& reason) {
    if (!why.empty()) why += "; ";
    why += reason;
  };
  if (stored.vendor.build_id != wanted.vendor.build_id) {
    add("beat another build of the vendor's library, " + stored.vendor.build_id);
  }
  if (stored.vendor.symbol != wanted.vendor.symbol) add("beat " + stored.vendor.symbol);
  if (stored.threads != wanted.threads) {
    add("measured with " + std::to_string(stored.threads) + " threads");
  }
  return why;
}

}  // namespace

PlanStore::PlanStore(std::shared_ptr<Database> database) : database_(std::move(database)) {}
PlanStore::~PlanStore() = default;

Status PlanStore::put(const PlanKey& key, const PlanRecord& record) {
  const std::string value = TRIODE_TRY(encode_plan(record));
  rocksdb::WriteBatch batch;
  const rocksdb::Status status =
      batch.Put(database_->family(Family::kPlans), encode_plan_key(key), value);
  if (!status.ok()) return database_->explain("write to", status);
  return database_->write(batch);
}

Result<std::optional<PlanRecord>> PlanStore::get(const PlanKey& key) const {
  const std::optional<std::string> value =
      TRIODE_TRY(database_->get(Family::kPlans, encode_plan_key(key)));
  if (!value) return std::optional<PlanRecord>();
  Result<PlanRecord> record = decode_plan(*value);
  return record.ok() ? std::optional(std::move(record).take()) : std::nullopt;
}

Result<std::vector<StoredPlanRecord>> PlanStore::find(const PlanKey& key) const {
  std::vector<StoredPlanRecord> found;
  const std::string prefix = problem_prefix(key.device, to_string(key.problem));
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate(Family::kPlans);
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
    Result<PlanKey> stored = decode_plan_key(at->key().ToStringView());
    Result<PlanRecord> record = decode_plan(at->value().ToStringView());
    if (!stored.ok() || !record.ok()) continue;
    std::string why = why_no_answer(*stored, key);
    found.push_back({std::move(stored).take(), std::move(record).take(), std::move(why)});
  }
  if (!at->status().ok()) return database_->explain("read", at->status());
  std::stable_partition(found.begin(), found.end(),
                        [](const StoredPlanRecord& plan) { return plan.why_prior.empty(); });
  return found;
}

Result<int64_t> PlanStore::for_each(const Visit& visit) const {
  int64_t damaged = 0;
  const std::unique_ptr<rocksdb::Iterator> at = database_->iterate(Family::kPlans);
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    const Result<PlanKey> key = decode_plan_key(at->key().ToStringView());
    const Result<PlanRecord> record = decode_plan(at->value().ToStringView());
    if (!key.ok() || !record.ok()) {
      ++damaged;
      continue;
    }
    if (!visit(*key, *record)) break;
  }
  if (!at->status().ok()) return database_->explain("read", at->status());
  return damaged;
}

}  // namespace triode
