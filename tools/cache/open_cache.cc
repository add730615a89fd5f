// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/open_cache.h"

#include "cache/store_options.h"

namespace triode::cache_tool {

Result<std::unique_ptr<Cache>> open_to_read(const std::string& path) {
  return Cache::open(path, {.mode = StoreMode::kReadOnly});
}

Result<std::unique_ptr<Cache>> open_to_write(const std::string& path) {
  StoreOptions options;
  options.sync = SyncLevel::kEvery;
  return Cache::open(path, options);
}

}  // namespace triode::cache_tool
