// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cache/artifact_store.h"
#include "cache/measurement_store.h"
#include "cache/model_store.h"
#include "cache/plan_store.h"
#include "cache/store_options.h"
#include "core/status.h"

namespace triode {

class Database;

// What the writer found in the spool when it opened.
struct SpoolIntake {
  int64_t files = 0;
  int64_t files_left = 0;  // held by a process that does not let go, for the next time
  int64_t records = 0;
  int64_t damaged_bytes = 0;  // cut off in mid-write, or changed since; kept in quarantine
};

// All that Triode knows, in one folder: measurements, artifacts, plans, models. Any thread may
// call.
//
//   auto cache = TRIODE_TRY(Cache::open(folder, {.mode = StoreMode::kReadOnly}));
//   for (const std::string& device : TRIODE_TRY(cache->measurements().devices())) ...
class Cache {
 public:
  // A writer makes the folder if there is none, brings an older schema up to date, and takes in the
  // spool. Fails, and leaves everything as it was, with
  //   kUnavailable        another writer has it (the message names its pid), or the system refuses
  //   kUnsupported        of a newer schema; or of an older one, and opened to read
  //   kInvalidArgument    the folder holds something else
  //   kNotFound           nothing to read there
  //   kCorrupt            RocksDB finds its files damaged: repair_cache of cache/maintenance.h
  //   kResourceExhausted  the disk is full
  static Result<std::unique_ptr<Cache>> open(const std::string& path, const StoreOptions& options);

  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache();

  MeasurementStore& measurements() { return measurements_; }
  const MeasurementStore& measurements() const { return measurements_; }
  ArtifactStore& artifacts() { return artifacts_; }
  const ArtifactStore& artifacts() const { return artifacts_; }
  PlanStore& plans() { return plans_; }
  const PlanStore& plans() const { return plans_; }
  ModelStore& models() { return models_; }
  const ModelStore& models() const { return models_; }

  const std::string& path() const;
  StoreMode mode() const;

  // Everything written so far is on the disk when it returns, whatever the sync level.
  Status sync();

  // Takes in what others have left in the spool since. Writers only.
  Result<SpoolIntake> take_in_spool();
  const SpoolIntake& spool_intake() const { return intake_; }  // of the opening

  // For the functions of cache/maintenance.h.
  Database& database() const { return *database_; }

 private:
  explicit Cache(std::shared_ptr<Database> database);

  std::shared_ptr<Database> database_;
  MeasurementStore measurements_;
  ArtifactStore artifacts_;
  PlanStore plans_;
  ModelStore models_;
  SpoolIntake intake_;
};

}  // namespace triode
