// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/db.h>

#include <filesystem>
#include <system_error>

#include "cache/cache.h"
#include "cache/database.h"
#include "cache/database_folder.h"
#include "cache/maintenance.h"
#include "cache/record_counts.h"
#include "cache/schema.h"
#include "cache/spool_intake.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

int64_t property_of(const Database& database, Family family, const char* name) {
  uint64_t value = 0;
  (void)database.rocksdb().GetIntProperty(database.family(family), name, &value);
  return static_cast<int64_t>(value);
}

int64_t log_bytes(const std::string& path) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".log") continue;
    std::error_code ignored;  // a file that has gone meanwhile
    const auto size = entry->file_size(ignored);
    if (!ignored) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

int64_t memory_bytes(const Database& database) {
  int64_t bytes = property_of(database, Family::kMeasurements, "rocksdb.block-cache-usage");
  for (size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    bytes += property_of(database, family, "rocksdb.cur-size-all-mem-tables");
    bytes += property_of(database, family, "rocksdb.estimate-table-readers-mem");
  }
  return bytes;
}

}  // namespace

Result<CacheStats> stats(const Cache& cache) {
  const Database& database = cache.database();
  CacheStats stats;
  stats.path = cache.path();
  stats.schema = kSchema;  // no other can be open
  stats.disk_bytes = folder_bytes(cache.path());
  stats.log_bytes = log_bytes(cache.path());
  stats.memory_bytes = memory_bytes(database);
  stats.spooled_bytes = spooled_bytes(cache.path());
  stats.devices = static_cast<int64_t>(TRIODE_TRY(cache.measurements().devices()).size());
  stats.owner_pid = living_owner(cache.path());
  for (size_t i = 1; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    stats.families.push_back(
        {.name = name_of(family),
         .records = about_records(database, family),
         .disk_bytes = property_of(database, family, "rocksdb.live-sst-files-size")});
  }
  return stats;
}

}  // namespace triode
