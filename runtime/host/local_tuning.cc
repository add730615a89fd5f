// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/local_tuning.h"

#include <utility>

#include "runtime/host/held_vendor.h"
#include "runtime/host/original_call.h"
#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"

namespace triode::host {

bool LocalTuning::step(const std::function<bool()>& should_stop) {
  publisher_.withdraw_slower();
  publisher_.free_unused();
  PlanEntry* const entry = most_worthwhile();
  if (entry == nullptr) return false;
  look_into(*entry, should_stop);
  return true;
}

PlanEntry* LocalTuning::most_worthwhile() {
  PlanEntry* best = nullptr;
  double best_ns = 0;
  publisher_.for_each_worthwhile([&](PlanEntry& entry, const EntryTally& calls) {
    if (calls.by_vendor.total_ns() < best_ns) return;
    best = &entry;
    best_ns = calls.by_vendor.total_ns();
  });
  return best;
}

void LocalTuning::look_into(PlanEntry& entry, const std::function<bool()>& should_stop) {
  const std::string vendor = vendor_name(entry.key);
  if (publish_kept(entry, vendor)) return;
  const HeldVendor held(entry.original, call_traits::vendor(entry.key.traits));
  if (!held.is_held()) {
    return publisher_.leave_to_vendor(entry, "the program has closed the library");
  }
  const TuningRequest request{entry.problem, vendor,
                              bind_original(entry.original, entry.key, entry.operands_exchanged)};
  const auto found = source_.find(request, should_stop);
  if (should_stop()) return;
  if (!found.ok()) return publisher_.leave_to_vendor(entry, found.status().message());
  if (!found->has_value()) return publisher_.leave_to_vendor(entry, "");
  publish_found(entry, vendor, **found);
}

bool LocalTuning::publish_kept(PlanEntry& entry, const std::string& vendor) {
  const StoredPlan* const kept = kept_.find(entry.problem, vendor);
  if (kept == nullptr) return false;
  // A plan of another version is as good as none: it is searched for again, and then replaced.
  return publisher_
      .publish(entry, {kept->config, kept->code_digest, {}}, kept->speedup,
               "known from an earlier run")
      .ok();
}

void LocalTuning::publish_found(PlanEntry& entry, const std::string& vendor,
                                const FoundPlan& found) {
  const Status published =
      publisher_.publish(entry, {found.config_text, found.code_digest, {}}, found.speedup, "");
  if (!published.ok()) return publisher_.leave_to_vendor(entry, published.message());
  const Status kept = kept_.keep({.problem = entry.problem,
                                  .config = found.config_text,
                                  .vendor = vendor,
                                  .code_digest = found.code_digest,
                                  .speedup = found.speedup,
                                  .vendor_ns = found.vendor_ns,
                                  .plan_ns = found.plan_ns});
  if (!kept.ok()) warn_once("plans are not kept: " + kept.message());
}

}  // namespace triode::host
