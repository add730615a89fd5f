// SPDX-License-Identifier: Apache-2.0
#include "cache/database_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <memory>

#include "cache/families.h"

namespace triode {
namespace {

// RocksDB otherwise writes a journal of its own to the folder, even of a database that it only
// reads; and RocksDB of Debian, which has its assertions on, ends the process when a full disk does
// not take a line of it.
class SilentLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// After an error of the disk, Database::write tells RocksDB to go on. RocksDB's own attempts,
// seconds apart, would only stand in the way.
class NoOwnRecovery final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
};

// Smaller blocks are unpacked faster, larger ones compress better. What records have in common,
// which is most of them, is in a dictionary of each file, so that small ones compress well too.
constexpr size_t kBlockBytes = size_t{1} << 10;
constexpr uint32_t kDictionaryBytes = uint32_t{16} << 10;
constexpr uint32_t kTrainingBytes = 100 * kDictionaryBytes;  // what the library of zstd recommends

// What one compaction leaves together in a file.
constexpr uint64_t kFileBytes = uint64_t{64} << 20;

rocksdb::BlockBasedTableOptions table_options(const StoreOptions& options) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  table.block_size = kBlockBytes;
  table.format_version = 5;
  // Neighbouring keys of the index share most of their bytes, as those of the blocks do.
  table.index_block_restart_interval = 16;
  return table;
}

void set_compression(rocksdb::Options& options) {
  options.compression = rocksdb::kZSTD;
  options.compression_opts.level = 1;
  options.bottommost_compression = rocksdb::kZSTD;
  options.bottommost_compression_opts.enabled = true;
  options.bottommost_compression_opts.level = 6;
  options.bottommost_compression_opts.max_dict_bytes = kDictionaryBytes;
  options.bottommost_compression_opts.zstd_max_train_bytes = kTrainingBytes;
}

}  // namespace

rocksdb::Options database_options(const StoreOptions& options) {
  rocksdb::Options db;
  // No threads that wake on a timer: they would disturb what is being timed.
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  db.skip_stats_update_on_db_open = true;
  // A log that ends in mid-record was being written when its process died. Any other damage must be
  // told, not passed over together with the records behind it.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  db.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(options)));
  db.target_file_size_base = kFileBytes;
  set_compression(db);
  db.info_log = std::make_shared<SilentLog>();
  if (options.mode != StoreMode::kReadWrite) return db;
  db.listeners.push_back(std::make_shared<NoOwnRecovery>());
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.max_background_jobs = 2;
  db.db_write_buffer_size = options.write_buffer_bytes;
  db.write_buffer_size = options.write_buffer_bytes;
  db.max_total_wal_size = 2 * options.write_buffer_bytes;
  return db;
}

std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors(const rocksdb::Options& options) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.reserve(kFamilyCount);
  for (const char* name : kFamilyNames) families.emplace_back(name, options);
  return families;
}

}  // namespace triode
