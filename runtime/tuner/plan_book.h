// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"

namespace triode::tuner {

// Every published plan, by target, problem and vendor; kept in a plan file, which hosts in mode
// frozen and those that search for themselves read too. Not thread-safe.
class PlanBook {
 public:
  // Reads the file. A missing one holds nothing; of a damaged one the error is kept for status(),
  // and it is put aside when the first plan is kept.
  explicit PlanBook(std::string path);

  std::vector<StoredPlan> plans_for(const Target& target) const;
  const StoredPlan* find(const Target& target, const std::string& problem,
                         const std::string& vendor) const;

  // Adds or replaces, in the file too, before it returns. After an error the plan is in memory.
  Status keep(const Target& target, const StoredPlan& plan);
  // Removes it, in the file too.
  Status forget(const Target& target, const std::string& problem, const std::string& vendor);

  size_t size() const;

 private:
  using Identity = std::pair<std::string, std::string>;  // problem and vendor

  const std::string path_;
  std::map<std::string, std::map<Identity, StoredPlan>> plans_;  // by fingerprint
};

}  // namespace triode::tuner
