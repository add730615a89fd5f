// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/frozen_plans.h"

#include "runtime/host/plan_file.h"
#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"

namespace triode::host {

Result<std::unique_ptr<FrozenPlans>> FrozenPlans::load(const std::string& path,
                                                       PlanBuilders& builders,
                                                       PublishedPlans& published) {
  const PlanBuilder* const builder = builders.get();
  if (builder == nullptr) return unsupported("plans cannot be built on this machine");
  std::unique_ptr<FrozenPlans> plans(new FrozenPlans(published));
  TRIODE_TRY(plans->add_all(path, *builder));
  return plans;
}

Status FrozenPlans::add_all(const std::string& path, const PlanBuilder& builder) {
  const PlanFile file = TRIODE_TRY(read_plan_file(path));
  for (const StoredPlan& stored : file.plans_for(builder.device().target())) {
    // Code for aligned pointers serves any others as well if the same bytes come out without that
    // promise; what depends on it is left out, and its calls go to the vendor.
    Problem problem = stored.problem;
    problem.alignment_bytes = size_bytes(problem.c_type);
    const bool is_exact = problem == stored.problem;
    const Identity identity{to_string(problem), stored.vendor};
    if (!is_exact && plans_.contains(identity)) continue;
    auto built = builder.build(problem, stored.config, stored.code_digest);
    if (!built.ok() && is_exact) {
      return corrupt(path + ": " + built.status().message() + "; make the file anew");
    }
    if (!built.ok()) continue;
    plans_.insert_or_assign(
        identity, Plan{std::move(built).take(),
                       {PlanState::kPlanned, stored.config, stored.speedup, "from " + path}});
  }
  if (plans_.empty()) warn_once(path + " holds no plan for this machine.");
  return {};
}

const Executable* FrozenPlans::plan_for(const PlanEntry& entry) {
  const auto found = plans_.find({to_string(entry.problem), vendor_name(entry.key)});
  if (found == plans_.end()) return nullptr;
  published_.set(entry.index, found->second.described);
  return found->second.executable.get();
}

}  // namespace triode::host
