// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/open_cache.h"

#include <utility>

#include "cache/store_options.h"

namespace triode::cache_tool {

Result<std::unique_ptr<Cache>> open_to_read(const std::string& path) {
  StoreOptions options;
  options.mode = StoreMode::kFollow;
  Result<std::unique_ptr<Cache>> opened = Cache::open(path, options);
  if (!opened.ok() && opened.status().code() == StatusCode::kUnavailable) {
    // A folder that may not be written to has no place for a follower's own log.
    options.mode = StoreMode::kReadOnly;
    opened = Cache::open(path, options);
  }
  std::unique_ptr<Cache> cache = TRIODE_TRY(std::move(opened));
  TRIODE_TRY(cache->catch_up());
  return cache;
}

Result<std::unique_ptr<Cache>> open_to_write(const std::string& path) {
  StoreOptions options;
  options.sync = SyncLevel::kEvery;
  return Cache::open(path, options);
}

}  // namespace triode::cache_tool
