// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"

#include <utility>

#include "cache/database.h"
#include "cache/maintenance.h"
#include "cache/spool_intake.h"
#include "cache/summary_index.h"

namespace triode {
namespace {

// What a tuner touches in hours, and takes some tenths of a second; the rest is for compact().
constexpr int64_t kMostSummarizedAtClose = 1000;

}  // namespace

Cache::Cache(std::shared_ptr<Database> database)
    : database_(std::move(database)),
      measurements_(database_),
      artifacts_(database_),
      plans_(database_),
      models_(database_) {}

Cache::~Cache() {
  if (mode() != StoreMode::kReadWrite) return;
  // One that fails costs the next reader a look at the records.
  (void)refresh_summaries(*database_, kMostSummarizedAtClose, {});
}

Result<std::unique_ptr<Cache>> Cache::open(const std::string& path, const StoreOptions& options) {
  std::shared_ptr<Database> database = TRIODE_TRY(Database::open(path, options));
  std::unique_ptr<Cache> cache(new Cache(std::move(database)));
  if (options.mode == StoreMode::kReadWrite && options.take_in_spool) {
    cache->intake_ = TRIODE_TRY(cache->take_in_spool());
  }
  return cache;
}

const std::string& Cache::path() const {
  return database_->path();
}

StoreMode Cache::mode() const {
  return database_->options().mode;
}

Status Cache::sync() {
  return database_->sync();
}

Result<SpoolIntake> Cache::take_in_spool() {
  if (mode() != StoreMode::kReadWrite) {
    return unsupported("cannot take the spool into the cache " + path() +
                       ": it was opened for reading only");
  }
  return triode::take_in_spool(*database_);
}

Status summarize(Cache& cache, const Progress& progress) {
  return refresh_summaries(cache.database(), INT64_MAX, progress);
}

}  // namespace triode
