// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/plan_export.h"

#include <map>
#include <optional>
#include <utility>

#include "cache/exchange/device_text.h"
#include "tools/cache/filter_options.h"

namespace triode::cache_tool {
namespace {

// The times behind a plan are its config's latest measurement; 0 where they are gone.
void add_times(const MeasurementStore& store, const PlanKey& key, StoredPlan& plan) {
  const auto measured = store.get({key.device, to_string(key.problem), plan.config, key.validity});
  if (!measured.ok() || !measured->has_value()) return;
  plan.plan_ns = (*measured)->measurement.median_ns;
  if ((*measured)->vendor.has_value()) plan.vendor_ns = (*measured)->vendor->median_ns;
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
    if (record.is_withdrawn || !record.artifact.empty()) {
      ++(record.is_withdrawn ? exported.withdrawn : exported.embedded);
      return true;
    }
    StoredPlan plan;
    plan.problem = key.problem;
    plan.config = record.config;
    plan.vendor = key.vendor.build_id + " " + key.vendor.symbol;
    plan.code_digest = record.code_digest;
    plan.speedup = record.speedup;
    add_times(cache.measurements(), key, plan);
    const std::string target = exchange::target_of(key.device, key.validity).fingerprint();
    sections[target].target = target;
    sections[target].plans.push_back(std::move(plan));
    ++exported.plans;
    return true;
  }));
  for (auto& [target, section] : sections) exported.file.sections.push_back(std::move(section));
  return exported;
}

}  // namespace triode::cache_tool
