// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_publisher.h"

#include <memory>
#include <utility>

namespace triode::host {
namespace {

// Vendor time of one entry, on all threads, after which a search is worth its cost.
constexpr double kWorthwhileNs = 1e6;
constexpr uint64_t kWorthwhileCalls = 2;  // one call may be all there will ever be

// A plan is taken back if in the program it is this much slower than the vendor was. The two were
// not timed in turns there, so less says nothing; a search's own verdict is exact to a percent.
constexpr double kWithdrawnAt = 1.10;
constexpr uint64_t kFewestTimed = 16;  // of each side, before that is judged

SideTally since(const SideTally& now, const SideTally& before) {
  return {now.calls - before.calls, now.timed - before.timed, now.timed_ns - before.timed_ns};
}

}  // namespace

Status PlanPublisher::publish(PlanEntry& entry, const std::string& config, uint64_t code_digest,
                              double speedup, std::string remark) {
  auto built = TRIODE_TRY(parts_.builder.build(entry.problem, config, code_digest));
  before_[entry.index] = tally_entry(entry.index, parts_.ticks.nanoseconds_per_tick()).by_us;
  replace(entry, built.release());
  settle(entry, {PlanState::kPlanned, config, speedup, std::move(remark)});
  return {};
}

void PlanPublisher::leave_to_vendor(const PlanEntry& entry, std::string remark) {
  PublishedPlan decision;
  decision.remark = std::move(remark);
  settle(entry, std::move(decision));
}

void PlanPublisher::for_each_worthwhile(const Visit& visit) {
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    if (is_settled_[entry.index] || entry.original == nullptr) return;
    const SideTally vendor = tally_entry(entry.index, tick_ns).by_vendor;
    if (vendor.calls < kWorthwhileCalls || vendor.total_ns() < kWorthwhileNs) return;
    visit(entry, vendor);
  });
}

std::vector<PlanPublisher::Withdrawn> PlanPublisher::withdraw_slower() {
  std::vector<Withdrawn> withdrawn;
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    const size_t index = entry.index;
    if (!is_settled_[index] || entry.executable.load(std::memory_order_relaxed) == nullptr) return;
    const EntryTally tally = tally_entry(index, tick_ns);
    const SideTally ours = since(tally.by_us, before_[index]);
    if (ours.timed < kFewestTimed || tally.by_vendor.timed < kFewestTimed) return;
    if (ours.mean_ns() <= kWithdrawnAt * tally.by_vendor.mean_ns()) return;
    replace(entry, nullptr);
    PublishedPlan plan = parts_.published.find(index).value_or(PublishedPlan{});
    plan.state = PlanState::kWithdrawn;
    settle(entry, std::move(plan));
    withdrawn.push_back({&entry, ours.mean_ns(), tally.by_vendor.mean_ns()});
  });
  return withdrawn;
}

void PlanPublisher::settle(const PlanEntry& entry, PublishedPlan decision) {
  is_settled_[entry.index] = true;
  parts_.published.set(entry.index, std::move(decision));
}

void PlanPublisher::replace(PlanEntry& entry, const Executable* by) {
  const Executable* const before = entry.executable.exchange(by, std::memory_order_acq_rel);
  if (before != nullptr) retired_.add(before);
}

}  // namespace triode::host
