// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tuning_loop.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/host/held_vendor.h"
#include "runtime/host/original_call.h"
#include "runtime/host/vendor_name.h"
#include "runtime/host/warning.h"

namespace triode::host {
namespace {

// Vendor time of one entry, on all threads, after which a search is worth its cost.
constexpr double kWorthwhileNs = 1e6;
constexpr uint64_t kWorthwhileCalls = 2;  // one call may be all there will ever be

// A plan is taken back if in the program it is this much slower than the vendor was. The two were
// not timed in turns there, so less says nothing; a search's own verdict is exact to a percent.
constexpr double kWithdrawnAt = 1.10;
constexpr uint64_t kFewestTimed = 16;  // of each side, before that is judged

PublishedPlan vendor_stays(std::string remark) {
  PublishedPlan decision;
  decision.remark = std::move(remark);
  return decision;
}

}  // namespace

bool TuningLoop::step(const std::function<bool()>& should_stop) {
  withdraw_slower();
  retired_.free_unused();
  PlanEntry* const entry = most_worthwhile();
  if (entry == nullptr) return false;
  look_into(*entry, should_stop);
  return true;
}

PlanEntry* TuningLoop::most_worthwhile() {
  PlanEntry* best = nullptr;
  double best_ns = kWorthwhileNs;
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    const size_t index = entry.index;
    if (is_settled_[index] || entry.original == nullptr) return;
    const SideTally vendor = tally_entry(index, tick_ns).by_vendor;
    if (vendor.calls < kWorthwhileCalls || vendor.total_ns() < best_ns) return;
    best = &entry;
    best_ns = vendor.total_ns();
  });
  return best;
}

void TuningLoop::look_into(PlanEntry& entry, const std::function<bool()>& should_stop) {
  const std::string vendor = vendor_name(entry.key);
  if (publish_kept(entry, vendor)) return;
  const HeldVendor held(entry.original, call_traits::vendor(entry.key.traits));
  if (!held.is_held()) return settle(entry, vendor_stays("the program has closed the library"));
  const TuningRequest request{entry.problem, vendor,
                              bind_original(entry.original, entry.key, entry.operands_exchanged)};
  const auto found = parts_.source.find(request, should_stop);
  if (should_stop()) return;
  if (!found.ok()) return settle(entry, vendor_stays(found.status().message()));
  if (!found->has_value()) return settle(entry, {});
  publish_found(entry, vendor, **found);
}

bool TuningLoop::publish_kept(PlanEntry& entry, const std::string& vendor) {
  const StoredPlan* const kept = parts_.kept.find(entry.problem, vendor);
  if (kept == nullptr) return false;
  auto built = parts_.builder.build(entry.problem, kept->config, kept->code_digest);
  // A plan of another version is as good as none: it is searched for again, and then replaced.
  if (!built.ok()) return false;
  replace(entry, std::move(built).take().release());
  settle(entry, {PlanState::kPlanned, kept->config, kept->speedup, "known from an earlier run"});
  return true;
}

void TuningLoop::publish_found(PlanEntry& entry, const std::string& vendor,
                               const FoundPlan& found) {
  auto built = parts_.builder.build(entry.problem, found.config_text, found.code_digest);
  if (!built.ok()) return settle(entry, vendor_stays(built.status().message()));
  replace(entry, std::move(built).take().release());
  settle(entry, {PlanState::kPlanned, found.config_text, found.speedup, ""});
  const Status kept = parts_.kept.keep({.problem = entry.problem,
                                        .config = found.config_text,
                                        .vendor = vendor,
                                        .code_digest = found.code_digest,
                                        .speedup = found.speedup,
                                        .vendor_ns = found.vendor_ns,
                                        .plan_ns = found.plan_ns});
  if (!kept.ok()) warn_once("plans are not kept: " + kept.message());
}

void TuningLoop::settle(const PlanEntry& entry, PublishedPlan decision) {
  const size_t index = entry.index;
  is_settled_[index] = true;
  parts_.published.set(index, std::move(decision));
}

void TuningLoop::withdraw_slower() {
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    const size_t index = entry.index;
    if (!is_settled_[index] || entry.executable.load(std::memory_order_relaxed) == nullptr) return;
    const EntryTally tally = tally_entry(index, tick_ns);
    if (tally.by_us.timed < kFewestTimed || tally.by_vendor.timed < kFewestTimed) return;
    if (tally.by_us.mean_ns() <= kWithdrawnAt * tally.by_vendor.mean_ns()) return;
    replace(entry, nullptr);
    PublishedPlan plan = parts_.published.find(index).value_or(PublishedPlan{});
    plan.state = PlanState::kWithdrawn;
    settle(entry, std::move(plan));
  });
}

void TuningLoop::replace(PlanEntry& entry, const Executable* by) {
  const Executable* const before = entry.executable.exchange(by, std::memory_order_acq_rel);
  if (before != nullptr) retired_.add(before);
}

}  // namespace triode::host
