// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"

namespace triode::tuner {

// Every published plan, by target, problem and vendor; kept in a plan file, which hosts in mode
// frozen and those that search for themselves read too. Any thread; what does not write the file
// takes microseconds.
class PlanBook {
 public:
  // Reads the file. A missing or damaged one holds nothing; the damaged one is put aside when the
  // first plan is kept.
  explicit PlanBook(std::string path);

  std::vector<StoredPlan> plans_for(const Target& target) const;
  std::optional<StoredPlan> find(const Target& target, const std::string& problem,
                                 const std::string& vendor) const;

  // Adds or replaces, in the file too, before it returns. After an error the plan is in memory.
  Status keep(const Target& target, const StoredPlan& plan);
  // Removes the plan of this code, in the file too, where plans that others have put there
  // meanwhile stay. A plan of other code stays as well.
  Status forget(const Target& target, const std::string& problem, const std::string& vendor,
                uint64_t code_digest);

  size_t size() const;

 private:
  using Identity = std::pair<std::string, std::string>;  // problem and vendor

  const std::string path_;
  std::mutex file_mutex_;            // held while the file is written; taken before the other
  mutable std::mutex memory_mutex_;  // guards plans_
  std::map<std::string, std::map<Identity, StoredPlan>> plans_;  // by fingerprint
};

}  // namespace triode::tuner
