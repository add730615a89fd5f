// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/frozen_plans.h"

#include <algorithm>

#include "core/target_text.h"
#include "runtime/host/plan_file.h"
#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"

namespace triode::host {
namespace {

bool is_for_a_gpu(const PlanSection& section) {
  const Result<Target> target = parse_fingerprint(section.target);
  return target.ok() && target->isa.starts_with("sm_");
}

}  // namespace

Result<std::unique_ptr<FrozenPlans>> FrozenPlans::load(const std::string& path,
                                                       LazyCpuPlanMaker& cpu_maker,
                                                       PublishedPlans& published) {
  const CpuPlanMaker* const maker = cpu_maker.get();
  if (maker == nullptr) return unsupported("plans cannot be built on this machine");
  std::unique_ptr<FrozenPlans> plans(new FrozenPlans(published));
  TRIODE_TRY(plans->add_all(path, *maker));
  return plans;
}

Status FrozenPlans::add_all(const std::string& path, const CpuPlanMaker& maker) {
  const PlanFile file = TRIODE_TRY(read_plan_file(path));
  if (std::any_of(file.sections.begin(), file.sections.end(), is_for_a_gpu)) {
    path_if_with_gpus_ = path;
  }
  for (const StoredPlan& stored : file.plans_for(maker.device().target())) {
    // Code for aligned pointers serves any others as well if the same bytes come out without that
    // promise; what depends on it is left out, and its calls go to the vendor.
    Problem problem = stored.problem;
    problem.alignment_bytes = size_bytes(problem.c_type);
    const bool is_exact = problem == stored.problem;
    const Identity identity{to_string(problem), stored.vendor};
    if (!is_exact && plans_.contains(identity)) continue;
    auto built = maker.build(problem, stored.config, stored.code_digest);
    if (!built.ok() && is_exact) {
      return corrupt(path + ": " + built.status().message() + "; make the file anew");
    }
    if (!built.ok()) continue;
    plans_.insert_or_assign(
        identity, Plan{std::move(built).take(),
                       {PlanState::kPlanned, stored.config, stored.speedup, "from " + path}});
  }
  if (plans_.empty() && path_if_with_gpus_.empty())
    warn_once(path + " holds no plan for this machine.");
  return {};
}

void FrozenPlans::leave_to_vendor(const PlanEntry& gpu_entry) {
  published_.set(gpu_entry.index, {PlanState::kVendorStays, "", 0,
                                   "mode frozen runs no plans on a GPU, whose code is in no file"});
  if (path_if_with_gpus_.empty()) return;
  warn_once(path_if_with_gpus_ +
            " names plans for a GPU, but holds no code for one: its calls go to the library in "
            "mode frozen; mode tune runs such plans.");
}

const Executable* FrozenPlans::plan_for(const PlanEntry& entry) {
  if (entry.gpu_place != 0) return leave_to_vendor(entry), nullptr;
  const auto found = plans_.find({to_string(entry.problem), vendor_name(entry.key)});
  if (found == plans_.end()) return nullptr;
  published_.set(entry.index, found->second.described);
  return found->second.executable.get();
}

}  // namespace triode::host
