// SPDX-License-Identifier: Apache-2.0
#include "cache/record_counts.h"

#include <rocksdb/iterator.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>

#include "cache/database.h"

namespace triode {
namespace {

int64_t property_of(const Database& database, Family family, const char* name) {
  uint64_t value = 0;
  (void)database.rocksdb().GetIntProperty(database.family(family), name, &value);
  return static_cast<int64_t>(value);
}

// Counted one by one, some milliseconds of them. The figures of files mislead most where few
// records are written again and again, as the summaries and their marks are: flushing drops the
// older versions of a key, and keeps what took them away.
constexpr int64_t kMostCounted = 20'000;

int64_t count_records(const Database& database, Family family) {
  int64_t records = 0;
  const std::unique_ptr<rocksdb::Iterator> at = database.iterate(family);
  for (at->SeekToFirst(); at->Valid(); at->Next()) ++records;
  return records;  // up to what cannot be read, which verify names
}

}  // namespace

int64_t about_records(const Database& database, Family family) {
  int64_t entries = property_of(database, family, "rocksdb.num-entries-active-mem-table") +
                    property_of(database, family, "rocksdb.num-entries-imm-mem-tables");
  int64_t deletions = property_of(database, family, "rocksdb.num-deletes-active-mem-table") +
                      property_of(database, family, "rocksdb.num-deletes-imm-mem-tables");
  rocksdb::TablePropertiesCollection tables;
  // A file that cannot be read counts nothing; verify names it.
  (void)database.rocksdb().GetPropertiesOfAllTables(database.family(family), &tables);
  for (const auto& [name, table] : tables) {
    entries += static_cast<int64_t>(table->num_entries);
    deletions += static_cast<int64_t>(table->num_deletions);
  }
  if (entries <= kMostCounted) return count_records(database, family);
  // Each is an entry itself, and takes another one away.
  return std::max<int64_t>(0, entries - 2 * deletions);
}

}  // namespace triode
