// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cache/families.h"
#include "cache/store_options.h"
#include "core/status.h"

namespace triode {

// How much is lost if a write is not on the disk.
enum class Weight : uint8_t { kSingle, kBatch };

// What an iterator is for. kAll reads far ahead, and keeps nothing of it in memory.
enum class Reading : uint8_t { kSome, kAll };

// The RocksDB folder that holds the cache: its lock, its schema version, its column families. The
// cache's own: no other module includes this header.
// Any thread may call. One process writes, which the folder's file OWNER names; any number read.
class Database {
 public:
  // Makes the folder, or brings it to the present schema, if `mode` is to write. Fails as
  // Cache::open says.
  static Result<std::unique_ptr<Database>> open(const std::string& path,
                                                const StoreOptions& options);
  static Result<std::unique_ptr<Database>> open(const std::string& path, StoreMode mode) {
    return open(path, StoreOptions{.mode = mode});
  }

  // For a repair: a writer on a folder that has a database, whatever its schema, and although
  // tables are no longer those that RocksDB noted, having been mended.
  static Result<std::unique_ptr<Database>> open_for_repair(const std::string& path,
                                                           const StoreOptions& options);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  const std::string& path() const { return path_; }
  const StoreOptions& options() const { return options_; }

  // All of it or nothing. On the disk when this returns, or in the system's hands, as the sync
  // level says; threads that write at once share one sync. After an error of the disk the next
  // one goes on in a new log, if there is room.
  Status write(rocksdb::WriteBatch& batch, Weight weight = Weight::kBatch);
  Status sync();

  // How often this process has written, and a write of what was read at that count: false, and
  // nothing written, if others have written since. Not synced: for what can be made again.
  uint64_t writes() const { return writes_; }
  Result<bool> write_if_unchanged(rocksdb::WriteBatch& batch, uint64_t writes);

  // Empty if there is no such key.
  Result<std::optional<std::string>> get(Family family, std::string_view key) const;

  // Sees the database as it is now, whatever is written later. Reads nothing at or behind `end`, if
  // one is given, which must outlive the iterator.
  std::unique_ptr<rocksdb::Iterator> iterate(Family family, const rocksdb::Slice* end = nullptr,
                                             Reading reading = Reading::kSome) const;
  std::unique_ptr<rocksdb::Iterator> iterate_measurements() const {
    return iterate(Family::kMeasurements);
  }

  // The first of `count` numbers that were never handed out before, in any process.
  Result<uint64_t> take_sequence(uint64_t count);
  // For a repair: whether it is noted which were; and hands out none below `least` from now on.
  bool has_noted_sequence() const;
  Status skip_sequence(uint64_t least);

  // Notes that everything is of the present schema.
  Status write_schema();

  rocksdb::ColumnFamilyHandle* family(Family family) const {
    return families_[static_cast<size_t>(family)];
  }
  rocksdb::ColumnFamilyHandle* measurements() const { return family(Family::kMeasurements); }
  rocksdb::DB& rocksdb() const { return *db_; }

  // Our word for RocksDB's: what was attempted, the folder, and what the reader can do.
  Status explain(std::string_view attempt, const rocksdb::Status& status) const;

 private:
  Database(std::string path, const StoreOptions& options)
      : path_(std::move(path)), options_(options) {}
  // `schema`: what the cache has; empty: there is none yet.
  static Result<std::unique_ptr<Database>> open_once(const std::string& path,
                                                     const StoreOptions& options,
                                                     std::optional<int> schema);
  Status open_files();
  rocksdb::Status open_rocksdb(rocksdb::DB** db);
  Result<uint64_t> noted_sequence() const;
  Status reserve_sequence(uint64_t count);
  Status refuse_unless_writer() const;
  template <typename Lock, typename Use>
  Status use_log(const Use& use);
  rocksdb::Status keep_flushable();
  Status renew_failed_log();
  uint64_t log_number() const;

  const std::string path_;
  const StoreOptions options_;
  bool is_repair_ = false;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // by Family; db_ frees them when told to

  // Held shared by those who use the log, alone to have RocksDB begin a new one.
  std::shared_mutex log_mutex_;
  std::atomic<uint64_t> failed_log_ = 0;  // the number of one that nobody may touch; 0: none
  std::atomic<uint64_t> writes_ = 0;      // grows when one is done, under log_mutex_

  std::mutex sequence_mutex_;
  uint64_t next_sequence_ = 0;      // under sequence_mutex_
  uint64_t reserved_sequence_ = 0;  // the same; the store has noted that all below are taken
};

}  // namespace triode
