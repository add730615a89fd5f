// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"

#include <utility>

#include "cache/database.h"
#include "cache/spool_intake.h"

namespace triode {

Cache::Cache(std::shared_ptr<Database> database)
    : database_(std::move(database)),
      measurements_(database_),
      artifacts_(database_),
      plans_(database_),
      models_(database_) {}

Cache::~Cache() = default;

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

Status Cache::catch_up() {
  return database_->catch_up();
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

}  // namespace triode
