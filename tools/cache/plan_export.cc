// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/plan_export.h"

#include <map>
#include <optional>
#include <utility>

#include "cache/exchange/device_text.h"
#include "tools/cache/filter_options.h"

namespace triode::cache_tool {
namespace {

StoredPlan stored_plan(const PlanKey& key, const PlanRecord& record) {
  return {.problem = key.problem,
          .config = record.config,
          .vendor = key.vendor.build_id + " " + key.vendor.symbol,
          .code_digest = record.code_digest,
          .speedup = record.speedup,
          .vendor_ns = record.vendor_ns,
          .plan_ns = record.plan_ns};
}

// Whether programs do not make the code themselves: on a GPU they do not.
bool needs_code(const Target& target, const PlanRecord& record) {
  return target.isa.starts_with("sm_") || !record.artifact.empty();
}

}  // namespace

Result<ExportedPlans> plans_to_export(const Cache& cache, const TrialFilter& filter) {
  ExportedPlans exported;
  std::map<std::string, PlanSection> sections;  // by fingerprint
  TRIODE_TRY(cache.plans().for_each([&](const PlanKey& key, const PlanRecord& record) {
    if (!matches(filter, key.device, to_string(key.problem), key.validity.toolchain,
                 OutcomeKind::kOk, "")) {
      return true;
    }
    const Target made_for = exchange::target_of(key.device, key.validity);
    if (record.is_withdrawn || needs_code(made_for, record)) {
      ++(record.is_withdrawn ? exported.withdrawn : exported.embedded);
      return true;
    }
    const std::string target = made_for.fingerprint();
    sections[target].target = target;
    sections[target].plans.push_back(stored_plan(key, record));
    ++exported.plans;
    return true;
  }));
  for (auto& [target, section] : sections) exported.file.sections.push_back(std::move(section));
  return exported;
}

}  // namespace triode::cache_tool
