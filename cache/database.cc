// SPDX-License-Identifier: Apache-2.0
#include "cache/database.h"

#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdarg>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace triode {
namespace {

namespace fs = std::filesystem;

constexpr int kSchema = 1;
constexpr const char* kSchemaKey = "schema_version";
constexpr const char* kOwnerFile = "OWNER";
constexpr const char* kMetaName = "meta";
constexpr std::array<const char*, 3> kFamilyNames = {"default", "measurements", kMetaName};

// RocksDB otherwise starts a log file in the folder, even of a database that it only reads.
class SilentLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options options_for(StoreMode mode) {
  rocksdb::Options options;
  // No threads that wake on a timer: they would disturb what is being timed.
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  if (mode != StoreMode::kReadWrite) {
    options.info_log = std::make_shared<SilentLog>();
    return options;
  }
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.keep_log_file_num = 2;
  return options;
}

StatusCode code_of(const rocksdb::Status& status) {
  if (status.IsCorruption()) return StatusCode::kCorrupt;
  if (status.IsNoSpace()) return StatusCode::kResourceExhausted;
  if (status.IsIOError() || status.IsBusy() || status.IsTimedOut()) return StatusCode::kUnavailable;
  if (status.IsNotSupported()) return StatusCode::kUnsupported;
  if (status.IsInvalidArgument()) return StatusCode::kInvalidArgument;
  return StatusCode::kInternal;
}

std::string_view advice_for(StatusCode code) {
  switch (code) {
    case StatusCode::kCorrupt:
      return "; copy the folder away, or give another one";
    case StatusCode::kResourceExhausted:
      return "; make room on that disk, or give a folder on another";
    case StatusCode::kUnavailable:
      return "; check that the folder may be written and its disk is sound";
    default:
      return "";
  }
}

Status explain_at(std::string_view attempt, const std::string& path,
                  const rocksdb::Status& status) {
  const StatusCode code = code_of(status);
  return {code, "cannot " + std::string(attempt) + " the measurement store " + path + ": " +
                    status.ToString() + std::string(advice_for(code))};
}

// RocksDB has no code for a lock that is taken, only these texts: of another process, of this one.
bool is_lock_taken(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  return text.find("While lock file") != std::string::npos ||
         text.find("lock hold by current process") != std::string::npos;
}

Status explain_lock(const std::string& path) {
  std::string owner;
  std::ifstream(fs::path(path) / kOwnerFile) >> owner;
  const std::string who = owner.empty() ? "another process" : "process " + owner;
  return unavailable("the measurement store " + path + " is being written by " + who +
                     ", which holds " + path +
                     "/LOCK; wait for it to end, or give another folder. Do not delete the LOCK");
}

// Files that a process leaves, or has so far, when it is ended while it makes a database.
bool is_of_creation(const std::string& name) {
  return name == "LOCK" || name == "IDENTITY" || name == kOwnerFile || name.starts_with("LOG") ||
         name.starts_with("MANIFEST-") || name.ends_with(".dbtmp");
}

// Nobody's files but ours: RocksDB would put its own among them.
Status check_folder_is_free(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_of_creation(entry->path().filename().string())) continue;
    return invalid_argument(path + " is not a measurement store, and not empty either; give a " +
                            "folder of its own");
  }
  if (!error) return {};
  return unavailable("cannot look into " + path + ": " + error.message());
}

Status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return check_folder_is_free(path);
  return unavailable("cannot make the folder " + path + " for measurements: " + error.message() +
                     "; give one that you may write");
}

Result<int> parse_schema(const std::string& text, const std::string& path) {
  int schema = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), schema);
  if (error != std::errc() || end != text.data() + text.size() || schema < 1) {
    return corrupt("the measurement store " + path + " has the schema version '" + text +
                   "', which is no number; give another folder");
  }
  if (schema > kSchema) {
    return unsupported("the measurement store " + path + " has schema " + std::to_string(schema) +
                       ", and this Triode knows up to " + std::to_string(kSchema) +
                       "; it was left as it is. Use the newer Triode, or give another folder");
  }
  return schema;
}

// The database with some families, to look at and close again. Writes nothing.
class Glance {
 public:
  static Result<Glance> at(const std::string& path, const std::vector<std::string>& names) {
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const std::string& name : names) {
      families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    }
    Glance glance;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(
        options_for(StoreMode::kReadOnly), path, families, &glance.families_, &db);
    if (!status.ok()) return explain_at("look into", path, status);
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

// The schema of the database at `path`; empty if whoever made it was ended before its schema was
// written. Reads only, so that what is refused stays as it is.
Result<std::optional<int>> read_schema(const std::string& path) {
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies({}, path, &names);
  if (!listed.ok()) return explain_at("look into", path, listed);
  if (std::find(names.begin(), names.end(), kMetaName) == names.end()) {
    const Glance glance = TRIODE_TRY(Glance::at(path, {"default"}));
    if (names.size() < kFamilyNames.size() && glance.is_empty()) return std::optional<int>();
    return invalid_argument(path + " is a RocksDB database, but not a measurement store; give " +
                            "another folder");
  }
  const Glance glance = TRIODE_TRY(Glance::at(path, {"default", kMetaName}));
  std::string text;
  const rocksdb::Status status = glance.get_last(kSchemaKey, text);
  if (status.IsNotFound()) return std::optional<int>();
  if (!status.ok()) return explain_at("read the schema of", path, status);
  return std::optional<int>(TRIODE_TRY(parse_schema(text, path)));
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::string& path, StoreMode mode) {
  std::optional<int> schema;
  std::error_code ignored;  // a folder that cannot be looked into is reported by what comes next
  if (fs::exists(fs::path(path) / "CURRENT", ignored)) {
    schema = TRIODE_TRY(read_schema(path));
  } else if (mode == StoreMode::kReadWrite) {
    TRIODE_TRY(make_folder(path));
  }
  if (mode == StoreMode::kReadOnly && !schema) {
    return not_found("there is no measurement store at " + path + " yet; open it for writing once");
  }
  std::unique_ptr<Database> database(new Database(path, mode));
  TRIODE_TRY(database->open_files());
  if (!schema) TRIODE_TRY(database->write_schema());
  return database;
}

Status Database::open_files() {
  const rocksdb::Options options = options_for(mode_);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.reserve(kFamilyNames.size());
  for (const char* name : kFamilyNames) families.emplace_back(name, options);
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      mode_ == StoreMode::kReadOnly
          ? rocksdb::DB::OpenForReadOnly(options, path_, families, &families_, &db)
          : rocksdb::DB::Open(options, path_, families, &families_, &db);
  if (is_lock_taken(status)) return explain_lock(path_);
  if (!status.ok()) return explain("open", status);
  db_.reset(db);
  if (mode_ == StoreMode::kReadWrite) {
    // Only for the message to a second writer, which does without it where it could not be written.
    std::ofstream(fs::path(path_) / kOwnerFile) << getpid() << '\n';
  }
  return {};
}

Database::~Database() {
  if (db_ == nullptr) return;
  if (mode_ == StoreMode::kReadWrite) {
    std::error_code ignored;  // a stale OWNER harms nobody: it is read only when the lock is held
    fs::remove(fs::path(path_) / kOwnerFile, ignored);
  }
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    (void)db_->DestroyColumnFamilyHandle(family);  // fails for no family that was opened
  }
  (void)db_->Close();  // every write was synced when it was made
}

Status Database::write_schema() {
  rocksdb::WriteBatch batch;
  const rocksdb::Status status = batch.Put(families_[kMeta], kSchemaKey, std::to_string(kSchema));
  if (!status.ok()) return explain("write the schema of", status);
  return write(batch);
}

Status Database::write(rocksdb::WriteBatch& batch) {
  if (mode_ == StoreMode::kReadOnly) {
    return unsupported("cannot write to the measurement store " + path_ +
                       ": it was opened for reading only");
  }
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = db_->Write(options, &batch);
  return status.ok() ? Status() : explain("write to", status);
}

std::unique_ptr<rocksdb::Iterator> Database::iterate_measurements() const {
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator({}, measurements()));
}

Status Database::explain(std::string_view attempt, const rocksdb::Status& status) const {
  return explain_at(attempt, path_, status);
}

}  // namespace triode
