// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"

namespace triode::host {

// The plans for this target that a file keeps between runs. One thread at a time; several processes
// may keep plans in the same file.
class KeptPlans {
 public:
  // Reads what is there. A file that is missing or damaged holds nothing; an empty path keeps
  // nothing.
  KeptPlans(std::string path, const Target& target);

  // The plan for this exact problem in front of this vendor; null if there is none.
  const StoredPlan* find(const Problem& problem, const std::string& vendor) const;

  // Adds or replaces, in the file too, before it returns.
  Status keep(StoredPlan plan);

  size_t size() const { return plans_.size(); }

 private:
  using Identity = std::pair<std::string, std::string>;  // problem and vendor, as text

  const std::string path_;
  const Target target_;
  std::map<Identity, StoredPlan> plans_;
};

// Where plans are kept: `host.plans` in the folder, or in the user's cache folder if that is empty.
// Empty if there is neither.
std::string kept_plans_path(const std::string& folder);

}  // namespace triode::host
