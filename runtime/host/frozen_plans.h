// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/status.h"
#include "runtime/host/initial_plans.h"
#include "runtime/host/lazy_cpu_plan_maker.h"
#include "runtime/host/published_plans.h"

namespace triode::host {

// The plans of a file, all built when it is loaded: the same choice for the same call in every
// process that loads it, and the same result bit for bit.
//
// None for a GPU: their code is compiled by others and not in the file. The vendor answers such
// calls, each entry says so, and one warning does if the file has plans for a GPU.
class FrozenPlans final : public InitialPlans {
 public:
  // Takes the plans that were made for this machine and are valid for pointers of any alignment.
  // An error if the file cannot be read, or if a plan does not give the code that was measured.
  static Result<std::unique_ptr<FrozenPlans>> load(const std::string& path,
                                                   LazyCpuPlanMaker& cpu_maker,
                                                   PublishedPlans& published);

  const Executable* plan_for(const PlanEntry& entry) override;

  size_t size() const { return plans_.size(); }

 private:
  struct Plan {
    std::unique_ptr<const Executable> executable;
    PublishedPlan described;
  };
  using Identity = std::pair<std::string, std::string>;  // problem and vendor, as text

  explicit FrozenPlans(PublishedPlans& published) : published_(published) {}
  Status add_all(const std::string& path, const CpuPlanMaker& maker);
  void leave_to_vendor(const PlanEntry& gpu_entry);

  PublishedPlans& published_;
  std::string path_if_with_gpus_;  // of the file, if it has plans for GPUs
  std::map<Identity, Plan> plans_;
};

}  // namespace triode::host
