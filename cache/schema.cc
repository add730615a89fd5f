// SPDX-License-Identifier: Apache-2.0
#include "cache/schema.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <system_error>
#include <vector>

#include "cache/database.h"
#include "cache/database_errors.h"
#include "cache/database_options.h"
#include "cache/families.h"

namespace triode {
namespace {

Result<int> parse_schema(const std::string& text, const std::string& path) {
  int schema = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), schema);
  if (error != std::errc() || end != text.data() + text.size() || schema < 1) {
    return corrupt("the cache " + path + " has the schema version '" + text +
                   "', which is no number; run `triode cache verify --repair`, or give another " +
                   "folder");
  }
  if (schema > kSchema) {
    return unsupported("the cache " + path + " has schema " + std::to_string(schema) +
                       ", and this Triode knows up to " + std::to_string(kSchema) +
                       "; it was left as it is. Use the newer Triode, or give another folder");
  }
  return schema;
}

// The database with some families, to look at and close again. Writes nothing.
class Glance {
 public:
  static Result<Glance> at(const std::string& path, const std::vector<std::string>& names) {
    const rocksdb::Options options = database_options({.mode = StoreMode::kReadOnly});
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const std::string& name : names) families.emplace_back(name, options);
    Glance glance;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status =
        rocksdb::DB::OpenForReadOnly(options, path, families, &glance.families_, &db);
    if (!status.ok()) return explain_database("look into", path, status);
    glance.db_.reset(db);
    return glance;
  }
  Glance(Glance&&) = default;
  ~Glance() {
    // Fails for no family that was opened; and the database is closed next.
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      (void)db_->DestroyColumnFamilyHandle(family);
    }
  }

  bool is_empty() const {
    const std::unique_ptr<rocksdb::Iterator> first(db_->NewIterator({}, families_.front()));
    first->SeekToFirst();
    return !first->Valid() && first->status().ok();
  }
  rocksdb::Status get_last(const char* key, std::string& value) const {
    return db_->Get({}, families_.back(), key, &value);
  }

 private:
  Glance() = default;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

bool is_ours(const std::string& name) {
  return std::find(kFamilyNames.begin(), kFamilyNames.end(), name) != kFamilyNames.end();
}

}  // namespace

Result<std::optional<int>> read_schema(const std::string& path) {
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies({}, path, &names);
  if (!listed.ok()) return explain_database("look into", path, listed);
  const std::string meta = name_of(Family::kMeta);
  if (std::find(names.begin(), names.end(), meta) == names.end()) {
    const Glance glance = TRIODE_TRY(Glance::at(path, {"default"}));
    const bool is_begun = std::all_of(names.begin(), names.end(), is_ours);
    if (is_begun && glance.is_empty()) return std::optional<int>();
    return invalid_argument(path + " is a RocksDB database, but not a cache of Triode; give " +
                            "another folder");
  }
  const Glance glance = TRIODE_TRY(Glance::at(path, {"default", meta}));
  std::string text;
  const rocksdb::Status status = glance.get_last(kSchemaKey, text);
  if (status.IsNotFound()) return std::optional<int>();
  if (!status.ok()) return explain_database("read the schema of", path, status);
  return std::optional<int>(TRIODE_TRY(parse_schema(text, path)));
}

Result<std::optional<int>> read_schema(const Database& database) {
  const std::optional<std::string> text = TRIODE_TRY(database.get(Family::kMeta, kSchemaKey));
  if (!text) return std::optional<int>();
  return std::optional<int>(TRIODE_TRY(parse_schema(*text, database.path())));
}

}  // namespace triode
