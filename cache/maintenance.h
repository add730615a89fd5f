// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"

namespace triode {

class Cache;

// Told how many records are done and how many there are, about; returns false to stop. May be
// empty.
using Progress = std::function<bool(int64_t done, int64_t about)>;

// A record whose bytes make no sense.
struct Damage {
  std::string family;  // "measurements", ...
  std::string key;     // its bytes; may hold anything
  std::string reason;
};

struct VerifyReport {
  int64_t records = 0;  // of all families, the sound ones
  int64_t damaged = 0;
  std::vector<Damage> damages;  // the first kMostDamages of them
  static constexpr size_t kMostDamages = 1000;

  bool is_sound() const { return damaged == 0; }
};

// Reads every record of every family, past every checksum on the way. Works beside a writer, and on
// any handle. kCorrupt if RocksDB cannot read on; the message names the file.
Result<VerifyReport> verify(const Cache& cache, const Progress& progress = {});

struct RepairReport {
  int64_t records = 0;         // sound, and still there
  int64_t moved = 0;           // damaged, now in the family "quarantine" with key, bytes and reason
  bool is_rebuilt = false;     // RocksDB's own files were damaged and were made anew
  std::string copied_to = {};  // where the folder lies as it was, if it was rebuilt
  std::vector<std::string> notes = {};  // what else was done, one line each
};

// Makes the cache whole: moves damaged records aside, and has RocksDB rebuild what it cannot open,
// after copying the folder. kUnavailable while a writer has it; kNotFound if there is none.
Result<RepairReport> repair_cache(const std::string& path, const Progress& progress = {});

struct PruneOptions {
  std::optional<int64_t> most_artifact_bytes = {};  // drops artifacts down to this
  // Measurements that match every condition given; at least one must be. Those without a date, as
  // imported ones are, are not older than anything, and likewise in quarantine.
  std::optional<int64_t> older_than_unix_s = {};
  std::string device = {};     // a part of its text
  std::string toolchain = {};  // a part of its text
  bool failed_only = false;
  std::optional<int64_t> quarantined_before_unix_s = {};
  bool is_dry_run = false;  // counts, and drops nothing
};

struct PruneReport {
  int64_t measurements = 0;
  int64_t artifact_bytes = 0;
  int64_t quarantined = 0;
};

Result<PruneReport> prune(Cache& cache, const PruneOptions& options, const Progress& progress = {});

struct CompactReport {
  int64_t trials_before = 0;
  int64_t trials_after = 0;
  int64_t bytes_before = 0;  // on disk
  int64_t bytes_after = 0;
};

// Folds trials of the same key where that loses nothing, and has RocksDB rewrite its files. Other
// calls go on meanwhile; a crash leaves each key folded or as it was.
Result<CompactReport> compact(Cache& cache, const Progress& progress = {});

// Brings the summaries of problems up to date, which `ls` answers from: after much was written at
// once. A closing writer and compact() do it by themselves. Stopped midway, it keeps what it did.
Status summarize(Cache& cache, const Progress& progress = {});

struct FamilyStats {
  std::string name;
  int64_t records = 0;     // about, unless the cache was compacted
  int64_t disk_bytes = 0;  // in table files
};

struct CacheStats {
  std::string path;
  int64_t schema = 0;
  int64_t disk_bytes = 0;     // the whole folder
  int64_t log_bytes = 0;      // written ahead, not yet in table files
  int64_t memory_bytes = 0;   // of this handle
  int64_t spooled_bytes = 0;  // left for the next writer
  int64_t devices = 0;
  std::optional<int64_t> owner_pid = {};  // of the writer, if one runs
  std::vector<FamilyStats> families;
};

// Answers within milliseconds, however large the cache.
Result<CacheStats> stats(const Cache& cache);

}  // namespace triode
