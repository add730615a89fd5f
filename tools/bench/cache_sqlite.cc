// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/bench/cache_contestant.h"

namespace triode::bench {
namespace {

// The log is synced at each commit, as our batches are; the table is the index.
constexpr const char* kSetUp =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768;"
    "CREATE TABLE IF NOT EXISTS trials(device TEXT, problem TEXT, config TEXT, toolchain TEXT,"
    " id INTEGER, outcome TEXT, median REAL, least REAL, spread REAL, count INTEGER, taken INTEGER,"
    " vendor REAL, speedup REAL, speedup_spread REAL,"
    " PRIMARY KEY(device, problem, config, toolchain, id)) WITHOUT ROWID;";
constexpr const char* kInsert = "INSERT INTO trials VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr const char* kSelect =
    "SELECT median FROM trials WHERE device=? AND problem=? AND config=? AND toolchain=?";

class SqliteCache final : public CacheContestant {
 public:
  explicit SqliteCache(std::string folder) : path_(std::move(folder) + "/trials.sqlite") {}
  SqliteCache(const SqliteCache&) = delete;
  SqliteCache& operator=(const SqliteCache&) = delete;
  ~SqliteCache() override { close(); }

  std::string_view name() const override { return "sqlite"; }

  Status open() override {
    if (sqlite3_open(path_.c_str(), &db_) != SQLITE_OK) return explain();
    TRIODE_TRY(execute(kSetUp));
    TRIODE_TRY(prepare(kInsert, &insert_));
    return prepare(kSelect, &select_);
  }

  void close() override {
    sqlite3_finalize(std::exchange(insert_, nullptr));
    sqlite3_finalize(std::exchange(select_, nullptr));
    sqlite3_close(std::exchange(db_, nullptr));
  }

  Status write(std::span<const KeyedTrial> trials) override {
    TRIODE_TRY(execute("BEGIN"));
    for (const KeyedTrial& trial : trials) {
      bind_key(insert_, trial.key);
      bind_record(trial.record);
      if (sqlite3_step(insert_) != SQLITE_DONE) return explain();
      sqlite3_reset(insert_);
    }
    return execute("COMMIT");
  }

  Result<double> get(const SampleKey& key) override {
    bind_key(select_, key);
    if (sqlite3_step(select_) != SQLITE_ROW) return not_found("a row that was written is gone");
    const double median = sqlite3_column_double(select_, 0);
    sqlite3_reset(select_);
    return median;
  }

  Status compact() override { return execute("PRAGMA wal_checkpoint(TRUNCATE); VACUUM;"); }

  std::int64_t disk_bytes() const override {
    std::error_code ignored;  // no file, no bytes
    const auto size = std::filesystem::file_size(path_, ignored);
    return ignored ? 0 : static_cast<std::int64_t>(size);
  }

 private:
  Status explain() const { return unavailable(std::string("SQLite: ") + sqlite3_errmsg(db_)); }

  Status execute(const char* text) {
    return sqlite3_exec(db_, text, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : explain();
  }

  Status prepare(const char* text, sqlite3_stmt** statement) {
    const int code = sqlite3_prepare_v2(db_, text, -1, statement, nullptr);
    return code == SQLITE_OK ? Status() : explain();
  }

  static void bind_text(sqlite3_stmt* statement, int at, std::string_view text) {
    sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  static void bind_key(sqlite3_stmt* statement, const SampleKey& key) {
    bind_text(statement, 1, key.device);
    bind_text(statement, 2, key.problem);
    bind_text(statement, 3, key.config);
    bind_text(statement, 4, key.validity.toolchain);
  }

  void bind_record(const TrialRecord& record) {
    sqlite3_bind_int64(insert_, 5, next_id_++);
    bind_text(insert_, 6, to_string(record.outcome.kind));
    sqlite3_bind_double(insert_, 7, record.measurement.median_ns);
    sqlite3_bind_double(insert_, 8, record.measurement.min_ns);
    sqlite3_bind_double(insert_, 9, record.measurement.spread);
    sqlite3_bind_int(insert_, 10, record.measurement.count);
    sqlite3_bind_int64(insert_, 11, record.when_unix_s);
    const VendorTime vendor = record.vendor.value_or(VendorTime());
    sqlite3_bind_double(insert_, 12, vendor.median_ns);
    sqlite3_bind_double(insert_, 13, vendor.speedup);
    sqlite3_bind_double(insert_, 14, vendor.speedup_spread);
  }

  const std::string path_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
  std::int64_t next_id_ = 1;
};

}  // namespace

std::unique_ptr<CacheContestant> make_sqlite_cache(const std::string& folder) {
  return std::make_unique<SqliteCache>(folder);
}

}  // namespace triode::bench
