// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store_mode.h"
#include "cache/trial_record.h"
#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode {

class Database;

struct ConfigTrial {
  Config config;
  TrialRecord record;
};

// A record as it was found. The config's text is for Space::parse, which refuses what a newer space
// has no place for.
struct StoredTrial {
  std::string config;
  TrialRecord record;
};

struct FoundTrials {
  std::vector<StoredTrial> trials;
  int64_t damaged = 0;  // records passed over because their bytes make no sense
};

// The parts of a key, as text: Target::fingerprint, problem text, config text.
struct TrialKey {
  std::string_view target;
  std::string_view problem;
  std::string_view config;
};

struct StoreCounts {
  int64_t records = 0;  // readable ones
  int64_t damaged = 0;
};

// Every trial ever made, on disk, by target, problem and config: one record each, the last put.
// Any thread may call. One writer per folder, whichever process; readers see the store as it was
// when they opened it. A damaged record is counted and passed over.
//
//   auto store = TRIODE_TRY(MeasurementStore::open(folder, StoreMode::kReadWrite));
//   TRIODE_TRY(store->put_all(target, problem, space, trials));
//   const FoundTrials known = TRIODE_TRY(store->find(target, problem));
class MeasurementStore {
 public:
  // kReadWrite makes the folder if there is none. kUnavailable if another process writes there (the
  // message names it) or the system refuses; kUnsupported if the store is of a newer schema, and
  // kInvalidArgument if the folder holds something else, both left as they are; kNotFound if there
  // is nothing to read; kCorrupt if RocksDB finds its files damaged.
  static Result<std::unique_ptr<MeasurementStore>> open(const std::string& path, StoreMode mode);

  MeasurementStore(const MeasurementStore&) = delete;
  MeasurementStore& operator=(const MeasurementStore&) = delete;
  ~MeasurementStore();

  // On the disk when it returns: a few milliseconds, so put_all where there are many.
  // kResourceExhausted on a full disk, kInvalidArgument for times that are not finite.
  Status put(const Target& target, const Problem& problem, const Space& space, const Config& config,
             const TrialRecord& record);

  // All of them or, on an error, none.
  Status put_all(const Target& target, const Problem& problem, const Space& space,
                 std::span<const ConfigTrial> trials);

  // What is known of this problem on this very target, toolchain and driver included. Best first:
  // those that ended ok by median time, then the unstable ones likewise, then the failed.
  Result<FoundTrials> find(const Target& target, const Problem& problem) const;

  // Visits every readable record in key order until `visit` returns false; the key's texts live as
  // long as that call. Counts what was passed on the way.
  using Visit = std::function<bool(const TrialKey& key, const TrialRecord& record)>;
  Result<StoreCounts> for_each(const Visit& visit) const;

  // Reads every record.
  Result<StoreCounts> count() const;

 private:
  explicit MeasurementStore(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
};

}  // namespace triode
