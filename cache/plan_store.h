// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/validity.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode {

class Database;

// The vendor's kernel that a plan beat, exactly.
struct VendorIdentity {
  std::string build_id;  // of the library, or its path and size where it has none
  std::string symbol;    // "cblas_sgemm"

  bool operator==(const VendorIdentity&) const = default;
};

// For which calls a plan was decided.
struct PlanKey {
  std::string device;  // device_of(target)
  Problem problem;
  VendorIdentity vendor;
  int32_t threads = 1;  // the budget that it was measured under
  Validity validity;

  bool operator==(const PlanKey&) const = default;
};

struct PlanRecord {
  std::string config;        // its text
  uint64_t code_digest = 0;  // Artifact::digest() of what was checked
  double speedup = 1;        // over the vendor, when published
  double speedup_spread = 0;
  double vendor_ns = 0;  // per call, medians of that race; 0: not known
  double plan_ns = 0;
  int64_t when_unix_s = 0;
  bool is_withdrawn = false;  // it stopped being faster; kept so that it is not published again
  std::string artifact = {};  // digest in the artifact store; empty: built from the config
  std::string unknown = {};   // fields of a newer Triode, as msgpack; written again
  int32_t unknown_count = 0;

  bool operator==(const PlanRecord&) const = default;
};

struct StoredPlanRecord {
  PlanKey key;
  PlanRecord record;
  std::string why_prior = {};  // why it is no answer for whoever asked; empty: it is one
};

// The decisions, one for each key: the last put. Any thread may call. A damaged record counts as
// none.
class PlanStore {
 public:
  explicit PlanStore(std::shared_ptr<Database> database);
  PlanStore(const PlanStore&) = delete;
  PlanStore& operator=(const PlanStore&) = delete;
  ~PlanStore();

  // On the disk when it returns, unless StoreOptions::sync is kNone.
  Status put(const PlanKey& key, const PlanRecord& record);

  // The plan for this very key.
  Result<std::optional<PlanRecord>> get(const PlanKey& key) const;

  // Every plan for the problem on the device: first the one for this key, then the others, marked
  // as priors.
  Result<std::vector<StoredPlanRecord>> find(const PlanKey& key) const;

  // Visits every plan in key order until `visit` returns false; returns how many were damaged.
  using Visit = std::function<bool(const PlanKey& key, const PlanRecord& record)>;
  Result<int64_t> for_each(const Visit& visit) const;

 private:
  std::shared_ptr<Database> database_;
};

}  // namespace triode
