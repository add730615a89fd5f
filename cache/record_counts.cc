// SPDX-License-Identifier: Apache-2.0
#include "cache/record_counts.h"

#include <rocksdb/table_properties.h>

#include <algorithm>

#include "cache/database.h"

namespace triode {
namespace {

int64_t property_of(const Database& database, Family family, const char* name) {
  uint64_t value = 0;
  (void)database.rocksdb().GetIntProperty(database.family(family), name, &value);
  return static_cast<int64_t>(value);
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
  // Each is an entry itself, and takes another one away.
  return std::max<int64_t>(0, entries - 2 * deletions);
}

}  // namespace triode
