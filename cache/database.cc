// SPDX-License-Identifier: Apache-2.0
#include "cache/database.h"

#include <rocksdb/options.h>
#include <rocksdb/transaction_log.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "cache/database_errors.h"
#include "cache/database_folder.h"
#include "cache/database_options.h"
#include "cache/migration.h"
#include "cache/schema.h"
#include "cache/spool_intake.h"

namespace triode {
namespace {

constexpr const char* kFlushableKey = "flushable";  // says nothing; see keep_flushable()

// Numbers noted as taken at once, so that noting them costs nothing per record. What a process does
// not use is lost, of 2^40 that a key can hold.
constexpr uint64_t kSequencesReserved = 1 << 16;

// Bytes on which a batch has a checksum of its own from here to the memory table: damage in memory
// is refused instead of stored.
constexpr size_t kProtectionBytes = 8;

// Some thousand blocks: a system call for each would cost as much as reading them.
constexpr size_t kReadAheadBytes = size_t{1} << 20;

// A reader that finds a file gone, or half of two states, tries again: a writer has changed them
// meanwhile. What is still so after a fifth of a second is no chance.
constexpr int kReaderAttempts = 40;
constexpr auto kPause = std::chrono::milliseconds(5);

Status nothing_to_read(const std::string& path) {
  if (const int64_t trials = spooled_trials(path); trials > 0) {
    return not_found("there is no cache at " + path + " yet, but " + std::to_string(trials) +
                     " trials wait in its spool; `triode cache compact` takes them in, as the " +
                     "next tuner does");
  }
  return not_found("there is no cache at " + path +
                   " yet; a tuner makes it, or `triode cache import`");
}

// What `attempt` reads of a cache that somebody may be writing to.
template <typename Attempt>
auto read_beside_a_writer(const Attempt& attempt) {
  auto result = attempt();
  for (int i = 1; i < kReaderAttempts && !result.ok(); ++i) {
    const StatusCode code = result.status().code();
    if (code != StatusCode::kUnavailable && code != StatusCode::kCorrupt) break;
    std::this_thread::sleep_for(kPause);
    result = attempt();
  }
  return result;
}

// Empty if there is no cache yet.
Result<std::optional<int>> present_schema(const std::string& path) {
  if (!has_database(path)) return std::optional<int>();
  return read_schema(path);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::string& path,
                                                 const StoreOptions& options) {
  if (options.mode == StoreMode::kReadWrite) {
    // Whether there is another writer is known only from here on.
    const auto schema = read_beside_a_writer([&] { return present_schema(path); });
    return open_once(path, options, TRIODE_TRY(schema));
  }
  return read_beside_a_writer([&]() -> Result<std::unique_ptr<Database>> {
    return open_once(path, options, TRIODE_TRY(present_schema(path)));
  });
}

Result<std::unique_ptr<Database>> Database::open_once(const std::string& path,
                                                      const StoreOptions& options,
                                                      std::optional<int> schema) {
  const bool is_writer = options.mode == StoreMode::kReadWrite;
  if (is_writer && !has_database(path)) TRIODE_TRY(make_cache_folder(path));
  if (!is_writer && !schema) return nothing_to_read(path);
  if (!is_writer && *schema < kSchema) {
    return unsupported(
        "the cache " + path + " is of an older Triode, with schema " + std::to_string(*schema) +
        "; whatever writes to it brings it up to date: " + "run `triode cache compact`");
  }
  std::unique_ptr<Database> database(new Database(path, options));
  TRIODE_TRY(database->open_files());
  if (!is_writer) return database;
  if (schema && *schema < kSchema) TRIODE_TRY(migrate_to_present_schema(*database, *schema));
  if (!schema || *schema < kSchema) TRIODE_TRY(database->write_schema());
  return database;
}

Result<std::unique_ptr<Database>> Database::open_for_repair(const std::string& path,
                                                            const StoreOptions& options) {
  std::unique_ptr<Database> database(new Database(path, options));
  database->is_repair_ = true;
  TRIODE_TRY(database->open_files());
  return database;
}

rocksdb::Status Database::open_rocksdb(rocksdb::DB** db) {
  rocksdb::Options options = database_options(options_);
  options.verify_sst_unique_id_in_manifest = !is_repair_;
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = family_descriptors(options);
  if (options_.mode == StoreMode::kReadOnly) {
    return rocksdb::DB::OpenForReadOnly(options, path_, families, &families_, db);
  }
  return rocksdb::DB::Open(options, path_, families, &families_, db);
}

Status Database::open_files() {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = open_rocksdb(&db);
  if (is_lock_taken(status)) return explain_lock(path_);
  if (!status.ok()) return explain("open", status);
  db_.reset(db);
  if (options_.mode == StoreMode::kReadWrite) write_owner(path_);
  return {};
}

Database::~Database() {
  if (db_ == nullptr) return;
  if (options_.mode == StoreMode::kReadWrite) {
    // The next opening need not read the log then, and a repair finds every family in a table.
    // One that fails loses nothing: the log still has it.
    (void)db_->Flush({}, families_);
    remove_owner(path_);
  }
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    (void)db_->DestroyColumnFamilyHandle(family);  // fails for no family that was opened
  }
  (void)db_->Close();  // what had to be on the disk is there already
}

Status Database::write_schema() {
  rocksdb::WriteBatch batch;
  const rocksdb::Status status =
      batch.Put(family(Family::kMeta), kSchemaKey, std::to_string(kSchema));
  if (!status.ok()) return explain("write the schema of", status);
  return write(batch);
}

Status Database::refuse_unless_writer() const {
  if (options_.mode == StoreMode::kReadWrite) return {};
  return unsupported("cannot write to the cache " + path_ + ": it was opened for reading only");
}

Status Database::write(rocksdb::WriteBatch& batch, Weight weight) {
  TRIODE_TRY(refuse_unless_writer());
  rocksdb::WriteOptions options;
  options.sync = options_.sync == SyncLevel::kEvery ||
                 (options_.sync == SyncLevel::kBatch && weight == Weight::kBatch);
  options.protection_bytes_per_key = kProtectionBytes;
  return use_log<std::shared_lock<std::shared_mutex>>([&] {
    rocksdb::Status status = db_->Write(options, &batch);
    ++writes_;
    return status;
  });
}

Result<bool> Database::write_if_unchanged(rocksdb::WriteBatch& batch, uint64_t writes) {
  TRIODE_TRY(refuse_unless_writer());
  bool is_unchanged = false;
  // Alone: nobody is between his write and its count.
  TRIODE_TRY(use_log<std::unique_lock<std::shared_mutex>>([&] {
    is_unchanged = writes_ == writes;
    return is_unchanged ? db_->Write({}, &batch) : rocksdb::Status();
  }));
  return is_unchanged;
}

Status Database::sync() {
  TRIODE_TRY(refuse_unless_writer());
  return use_log<std::shared_lock<std::shared_mutex>>([&] { return db_->FlushWAL(true); });
}

template <typename Lock, typename Use>
Status Database::use_log(const Use& use) {
  TRIODE_TRY(renew_failed_log());
  const Lock lock(log_mutex_);
  rocksdb::Status status = keep_flushable();
  if (status.ok()) status = use();
  if (status.ok()) return {};
  if (!status.IsInvalidArgument() && failed_log_ == 0) failed_log_ = log_number();
  return explain("write to", status);
}

// After an error of the disk RocksDB refuses every write until told to go on. It then leaves the
// log that failed only if it has something to flush; and to write to such a log ends the process,
// RocksDB of Debian having its assertions on. So there is always something: a record of no news,
// past the log.
rocksdb::Status Database::keep_flushable() {
  uint64_t count = 0;
  rocksdb::ColumnFamilyHandle* meta = family(Family::kMeta);
  (void)db_->GetIntProperty(meta, rocksdb::DB::Properties::kNumEntriesActiveMemTable, &count);
  if (count > 0) return {};
  rocksdb::WriteOptions past_log;
  past_log.disableWAL = true;
  return db_->Put(past_log, meta, kFlushableKey, "1");
}

Status Database::renew_failed_log() {
  if (failed_log_ == 0) return {};
  const std::unique_lock lock(log_mutex_);
  if (failed_log_ == 0) return {};  // another thread was here first
  const rocksdb::Status status = db_->Resume();
  if (!status.ok()) return explain("write to", status);
  if (log_number() == failed_log_) {
    return unavailable("cannot write to the cache " + path_ +
                       ": its log failed, and no new one could be made; open it again");
  }
  failed_log_ = 0;
  return {};
}

uint64_t Database::log_number() const {
  std::unique_ptr<rocksdb::LogFile> log;
  return db_->GetCurrentWalFile(&log).ok() ? log->LogNumber() : UINT64_MAX;
}

Result<std::optional<std::string>> Database::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get({}, this->family(family), key, &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return explain("read", status);
  return std::optional(std::move(value));
}

std::unique_ptr<rocksdb::Iterator> Database::iterate(Family family, const rocksdb::Slice* end,
                                                     Reading reading) const {
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = end;
  options.fill_cache = reading == Reading::kSome;
  if (reading == Reading::kAll) options.readahead_size = kReadAheadBytes;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, this->family(family)));
}

Result<uint64_t> Database::noted_sequence() const {
  const std::string text = TRIODE_TRY(get(Family::kMeta, kSequenceKey)).value_or(std::string("1"));
  const char* end = text.data() + text.size();
  uint64_t sequence = 0;
  if (std::from_chars(text.data(), end, sequence).ptr == end && !text.empty()) return sequence;
  return corrupt("the cache " + path_ + " counts its records as '" + text +
                 "', which is no number; run `triode cache verify --repair`");
}

Status Database::reserve_sequence(uint64_t count) {
  if (reserved_sequence_ == 0) next_sequence_ = TRIODE_TRY(noted_sequence());
  const uint64_t reserved = next_sequence_ + count + kSequencesReserved;
  rocksdb::WriteBatch batch;
  const rocksdb::Status status =
      batch.Put(family(Family::kMeta), kSequenceKey, std::to_string(reserved));
  if (!status.ok()) return explain("write to", status);
  // Before any record with such a number, and so in the log ahead of it.
  TRIODE_TRY(write(batch, Weight::kSingle));
  reserved_sequence_ = reserved;
  return {};
}

Result<uint64_t> Database::take_sequence(uint64_t count) {
  const std::lock_guard lock(sequence_mutex_);
  if (next_sequence_ + count > reserved_sequence_) TRIODE_TRY(reserve_sequence(count));
  const uint64_t first = next_sequence_;
  next_sequence_ += count;
  return first;
}

bool Database::has_noted_sequence() const {
  const Result<std::optional<std::string>> note = get(Family::kMeta, kSequenceKey);
  return note.ok() && note->has_value() && noted_sequence().ok();
}

Status Database::skip_sequence(uint64_t least) {
  const std::lock_guard lock(sequence_mutex_);
  const Result<uint64_t> noted = noted_sequence();
  next_sequence_ = std::max({next_sequence_, least, noted.ok() ? *noted : 1});
  reserved_sequence_ = next_sequence_;
  return reserve_sequence(0);
}

Status Database::explain(std::string_view attempt, const rocksdb::Status& status) const {
  return explain_database(attempt, path_, status);
}

}  // namespace triode
