// SPDX-License-Identifier: Apache-2.0
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/damaged_table.h"
#include "cache/database.h"
#include "cache/database_errors.h"
#include "cache/database_folder.h"
#include "cache/database_options.h"
#include "cache/key_codec.h"
#include "cache/maintenance.h"
#include "cache/migration.h"
#include "cache/quarantine.h"
#include "cache/record_check.h"
#include "cache/salvage.h"
#include "cache/schema.h"
#include "cache/spool_file.h"
#include "cache/summary_index.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBatchBytes = size_t{4} << 20;

Status system_refused(const std::string& attempt, const std::error_code& error) {
  return unavailable("cannot " + attempt + ": " + error.message() +
                     "; nothing was changed. Make room, or check who may write there");
}

// A name beside the folder that nothing has yet.
std::string name_beside(const std::string& path, const std::string& word) {
  for (int i = 1;; ++i) {
    std::string name = path + '.' + word + '-' + std::to_string(i);
    std::error_code ignored;  // a name that cannot be looked at will fail when it is made
    if (!fs::exists(name, ignored)) return name;
  }
}

// The folder as it is now. Table files never change, and cost no room twice.
Status copy_folder(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directory(to, error);
  if (error) return system_refused("make the folder " + to, error);
  for (const auto& entry : fs::directory_iterator(from, error)) {
    const fs::path copy = fs::path(to) / entry.path().filename();
    std::error_code linked;
    if (entry.path().extension() == ".sst") fs::create_hard_link(entry.path(), copy, linked);
    if (entry.path().extension() == ".sst" && !linked) continue;
    fs::copy(entry.path(), copy, fs::copy_options::recursive, error);
    if (error) return system_refused("copy " + entry.path().string(), error);
  }
  return error ? system_refused("read the folder " + from, error) : Status();
}

class Repair {
 public:
  Repair(std::string path, const Progress& progress)
      : path_(std::move(path)), progress_(progress) {}

  Result<RepairReport> run() {
    std::unique_ptr<Database> database = TRIODE_TRY(open());
    TRIODE_TRY(restore_sequence(*database));
    TRIODE_TRY(walk(*database, nullptr));
    if (gaps_ > 0 || must_rebuild_) {
      TRIODE_TRY(rebuild(std::move(database)));
      database = TRIODE_TRY(Database::open(path_, options()));
    } else {
      // What was lost may have taken marks with it, or records that summaries count.
      TRIODE_TRY(mark_all_stale(*database));
    }
    TRIODE_TRY(refresh_summaries(*database, INT64_MAX, progress_));
    return report_;
  }

 private:
  static StoreOptions options() { return {.take_in_spool = false}; }

  Result<std::unique_ptr<Database>> open() {
    Result<std::unique_ptr<Database>> opened = Database::open(path_, options());
    if (!is_damaged(opened)) return opened;
    report_.notes.push_back(opened.status().message());
    TRIODE_TRY(keep_copy());
    TRIODE_TRY(mend_tables());
    if (is_damaged(Database::open_for_repair(path_, options()))) {
      if (open_past_damaged_log().ok()) {
        opened = Database::open(path_, options());
        if (opened.ok()) return opened;
      } else {
        TRIODE_TRY(have_rocksdb_repair());
      }
    }
    // Also for tables that an earlier repair mended and then was ended.
    must_rebuild_ = true;
    opened = open_mended();
    if (!opened.ok()) TRIODE_TRY(undo_mending());
    return opened;
  }

  Result<std::unique_ptr<Database>> open_mended() {
    std::unique_ptr<Database> database = TRIODE_TRY(Database::open_for_repair(path_, options()));
    const Result<std::optional<int>> schema = read_schema(*database);
    if (!schema.ok() && !is_damaged(schema)) return schema.status();
    if (!schema.ok() || !schema->has_value()) {
      TRIODE_TRY(require_present_schema(*database));
    } else if (**schema < kSchema) {
      TRIODE_TRY(migrate_to_present_schema(*database, **schema));
      TRIODE_TRY(database->write_schema());
    }
    for (const std::string& table : mended_) {
      report_.notes.push_back("the table " + table + " can be read again");
    }
    return database;
  }

  template <typename T>
  static bool is_damaged(const Result<T>& opened) {
    return !opened.ok() && opened.status().code() == StatusCode::kCorrupt;
  }

  // The note of the schema is lost. A cache of schema 2 is one of schema 3 without marks, which
  // rebuild() sets; records of any other do not read as ours.
  Status require_present_schema(const Database& database) {
    for (size_t i = 0; i < kFamilyCount; ++i) {
      const auto family = static_cast<Family>(i);
      if (family == Family::kMeta) continue;
      const auto check = [&](std::string_view key, std::string_view value) -> Status {
        const Status status = check_record(family, key, value);
        if (status.ok()) return {};
        return corrupt("the schema of the cache " + path_ + " cannot be read, and its family " +
                       name_of(family) + " does not tell it: " + status.message() +
                       ". Nothing of it was dropped, and as it was, it lies in " +
                       report_.copied_to + "; give another folder");
      };
      TRIODE_TRY(walk_readable(database, family, {check, [](const auto&, const auto&) {}}));
    }
    report_.notes.push_back("the schema was lost, and everything that can be read is of schema " +
                            std::to_string(kSchema) + "; noted it anew");
    return {};
  }

  // Numbers that were handed out are those of trials and of damaged records; handed out again, they
  // would let new trials take the place of old ones.
  static Status restore_sequence(Database& database) {
    if (database.has_noted_sequence()) return {};
    uint64_t highest = 0;
    for (const Family family : {Family::kMeasurements, Family::kQuarantine}) {
      const auto note = [&](std::string_view key, std::string_view) -> Status {
        const std::string_view id = key.substr(key.rfind('\n') + 1);
        highest = std::max(highest, trial_number(id).value_or(0));
        return {};
      };
      TRIODE_TRY(walk_readable(database, family, {note, [](const auto&, const auto&) {}}));
    }
    return database.skip_sequence(highest + 1);
  }

  // Whoever writes there would see tables change under him.
  Status mend_tables() {
    const std::string name = path_ + "/LOCK";
    rocksdb::FileLock* lock = nullptr;
    const rocksdb::Status status = rocksdb::Env::Default()->LockFile(name, &lock);
    if (is_lock_taken(status)) return explain_lock(path_);
    if (!status.ok()) return explain_database("lock", path_, status);
    const Status mended = mend_locked_tables();
    (void)rocksdb::Env::Default()->UnlockFile(lock);  // the end of the process unlocks it too
    return mended;
  }

  Status mend_locked_tables() {
    std::vector<std::string> unreadable;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path_, error)) {
      const std::string name = entry.path();
      if (entry.path().extension() == ".sst" && !opens(name)) unreadable.push_back(name);
    }
    if (error) return system_refused("read the folder " + path_, error);
    for (const std::string& table : unreadable) {
      const std::string scratch = name_beside(path_, "mending");
      if (TRIODE_TRY(mend_description(table, scratch))) mended_.push_back(table);
    }
    return {};
  }

  // A mended table does not tell of which family it is, which RocksDB must know to list it.
  Status undo_mending() {
    for (const std::string& table : mended_) {
      const fs::path damaged = fs::path(report_.copied_to) / fs::path(table).filename();
      std::error_code error;
      fs::copy_file(damaged, table, fs::copy_options::overwrite_existing, error);
      if (error) return system_refused("copy " + damaged.string(), error);
    }
    mended_.clear();
    return {};
  }

  Status keep_copy() {
    report_.copied_to = name_beside(path_, "damaged");
    report_.is_rebuilt = true;
    return copy_folder(path_, report_.copied_to);
  }

  // Opens with all of the log that can be read, and closes again: what was read is in tables then.
  Status open_past_damaged_log() {
    rocksdb::Options options = database_options(Repair::options());
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
    options.verify_sst_unique_id_in_manifest = false;  // of what was mended it is another
    const auto families = family_descriptors(options);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(options, path_, families, &handles, &db);
    if (is_lock_taken(status)) return explain_lock(path_);
    if (!status.ok()) return explain_database("open", path_, status);
    const std::unique_ptr<rocksdb::DB> owned(db);
    for (rocksdb::ColumnFamilyHandle* handle : handles) {
      (void)db->DestroyColumnFamilyHandle(handle);  // fails for no family that was opened
    }
    report_.notes.emplace_back("took what can be read of the damaged log");
    return {};
  }

  Status have_rocksdb_repair() {
    TRIODE_TRY(undo_mending());
    const rocksdb::Options options = database_options(Repair::options());
    const rocksdb::Status status = rocksdb::RepairDB(path_, options, family_descriptors(options));
    if (is_lock_taken(status)) return explain_lock(path_);
    if (!status.ok()) return explain_database("repair", path_, status);
    report_.notes.emplace_back("had RocksDB list its files anew");
    name_lost_tables();
    return {};
  }

  // RocksDB moves what it cannot open to the folder "lost".
  void name_lost_tables() {
    std::error_code ignored;  // no such folder: nothing is lost
    for (const auto& entry : fs::directory_iterator(path_ + "/lost", ignored)) {
      const fs::path kept = fs::path(report_.copied_to) / entry.path().filename();
      std::error_code unknown;
      if (entry.path().extension() != ".sst" || !fs::exists(kept, unknown)) continue;
      report_.notes.push_back("a table with " + what_is_in(kept) +
                              " cannot be read and was set aside: " + kept.string());
    }
  }

  // Moves damaged records aside and counts the sound ones; or, with a copy, writes those there.
  Status walk(Database& database, Database* copy) {
    report_.records = 0;
    Database& into = copy == nullptr ? database : *copy;
    for (size_t i = 0; i < kFamilyCount; ++i) {
      const auto family = static_cast<Family>(i);
      rocksdb::WriteBatch batch;
      SalvageVisitor visitor;
      visitor.record = [&](std::string_view key, std::string_view value) -> Status {
        TRIODE_TRY(take(into, family, key, value, copy != nullptr, batch));
        return batch.GetDataSize() < kBatchBytes ? Status() : commit(into, batch);
      };
      visitor.gap = [&](const std::string&, const std::string& reason) {
        ++gaps_;
        report_.notes.push_back(std::string(name_of(family)) + ": " + reason);
      };
      TRIODE_TRY(walk_readable(database, family, visitor));
      TRIODE_TRY(commit(into, batch));
    }
    return {};
  }

  static Status commit(Database& database, rocksdb::WriteBatch& batch) {
    if (batch.Count() == 0) return {};
    TRIODE_TRY(database.write(batch));
    batch.Clear();
    return {};
  }

  Status take(Database& into, Family family, std::string_view key, std::string_view value,
              bool is_copying, rocksdb::WriteBatch& batch) {
    const Status check = check_record(family, key, value);
    rocksdb::Status status;
    if (check.ok()) {
      ++report_.records;
      if (progress_ && report_.records % 4096 == 0 && !progress_(report_.records, 0)) {
        return unavailable("repairing was stopped; run it again to go on");
      }
      // Summaries are made anew, and the copy has notes of its own.
      const bool is_kept = family != Family::kSummaries &&
                           !(family == Family::kMeta && (key == kSchemaKey || key == kSequenceKey));
      if (is_copying && is_kept) status = batch.Put(into.family(family), key, value);
    } else {
      ++report_.moved;
      TRIODE_TRY(quarantine(into, {name_of(family), std::string(key), check.message()}, value,
                            batch, std::time(nullptr)));
      if (!is_copying) status = batch.Delete(into.family(family), key);
    }
    return status.ok() ? Status() : into.explain("repair", status);
  }

  // Blocks of tables are damaged: RocksDB would meet them again whenever it compacts. All that can
  // be read goes to a new database, which then takes the place of the old one.
  Status rebuild(std::unique_ptr<Database> damaged) {
    const std::string rebuilt = name_beside(path_, "rebuilt");
    {
      const std::unique_ptr<Database> copy = TRIODE_TRY(Database::open(rebuilt, options()));
      const uint64_t sequence = TRIODE_TRY(damaged->take_sequence(1));
      TRIODE_TRY(copy->skip_sequence(sequence));
      const int64_t gaps = gaps_;
      const size_t notes = report_.notes.size();
      TRIODE_TRY(walk(*damaged, copy.get()));
      gaps_ = gaps;
      report_.notes.resize(notes);
      TRIODE_TRY(mark_all_stale(*copy));
    }
    damaged.reset();
    const std::string aside = name_beside(path_, "damaged");
    std::error_code error;
    fs::rename(path_, aside, error);
    if (!error) fs::rename(rebuilt, path_, error);
    if (error) return system_refused("put " + rebuilt + " in place of " + path_, error);
    for (const auto& entry : fs::directory_iterator(aside, error)) {
      const std::string name = entry.path().filename().string();
      if (is_spool_file(name)) fs::rename(entry.path(), fs::path(path_) / name, error);
    }
    if (error) return system_refused("move the spool out of " + aside, error);
    const bool has_older_copy = report_.is_rebuilt;  // of before anything was done
    if (has_older_copy) fs::remove_all(aside, error);
    if (!has_older_copy) report_.copied_to = aside;
    report_.is_rebuilt = true;
    return {};
  }

  const std::string path_;
  const Progress& progress_;
  RepairReport report_;
  int64_t gaps_ = 0;
  std::vector<std::string> mended_;  // tables that tell of themselves what is not so
  bool must_rebuild_ = false;        // what RocksDB noted of its files is not so
};

}  // namespace

Result<RepairReport> repair_cache(const std::string& path, const Progress& progress) {
  std::error_code ignored;  // what cannot be looked into is reported by the opening
  const bool has_files = fs::exists(path, ignored) && !fs::is_empty(path, ignored);
  if (!has_files) return not_found("there is no cache at " + path);
  return Repair(path, progress).run();
}

}  // namespace triode
