// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store_mode.h"
#include "core/status.h"

namespace triode {

// The RocksDB folder that holds the cache: its lock, its schema version, its column families. The
// cache's own: no other module includes this header.
// Any thread may call. One process writes, which the folder's file OWNER names; any number read.
class Database {
 public:
  // Makes the folder if `mode` is to write. Fails, and leaves everything as it was, with
  //   kUnavailable     another writer has it, or the system refuses
  //   kUnsupported     its schema is newer than this build
  //   kInvalidArgument the folder holds something else
  //   kNotFound        nothing to read there
  //   kCorrupt         RocksDB finds its files damaged
  static Result<std::unique_ptr<Database>> open(const std::string& path, StoreMode mode);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // All of it or nothing, and on the disk when this returns.
  Status write(rocksdb::WriteBatch& batch);

  // Sees the database as it is now, whatever is written later.
  std::unique_ptr<rocksdb::Iterator> iterate_measurements() const;

  rocksdb::ColumnFamilyHandle* measurements() const { return families_[kMeasurements]; }

  // Our word for RocksDB's: what was attempted, the folder, and what the reader can do.
  Status explain(std::string_view attempt, const rocksdb::Status& status) const;

 private:
  enum Family { kDefault, kMeasurements, kMeta, kFamilyCount };  // RocksDB insists on a default

  Database(std::string path, StoreMode mode) : path_(std::move(path)), mode_(mode) {}
  Status open_files();
  Status write_schema();

  const std::string path_;
  const StoreMode mode_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // by Family; db_ frees them when told to
};

}  // namespace triode
