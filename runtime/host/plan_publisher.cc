// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_publisher.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace triode::host {
namespace {

// Vendor time of one entry, on all threads, after which a search is worth its cost.
constexpr double kWorthwhileNs = 1e6;
constexpr uint64_t kWorthwhileCalls = 2;  // one call may be all there will ever be

// On a GPU calls are only enqueued, so what those that wait for a plan take is assumed: by the
// rates of a large one, which makes large problems come first. Nobody is told so of others. And a
// search takes longer there than a few calls are worth.
constexpr uint64_t kWorthwhileGpuCalls = 8;
constexpr double kGpuFlopsPerNs = 100e3;
constexpr double kGpuBytesPerNs = 1.5e3;
constexpr double kGpuLeastNs = 5e3;  // of a launch

SideTally assumed_on_gpu(const Problem& problem, uint64_t calls) {
  const double each =
      std::max({problem.flops() / kGpuFlopsPerNs, problem.bytes() / kGpuBytesPerNs, kGpuLeastNs});
  return {calls, calls, each * static_cast<double>(calls)};
}

bool is_worth_a_search(const PlanEntry& entry, const SideTally& vendor) {
  if (entry.gpu_place != 0) return vendor.calls >= kWorthwhileGpuCalls;
  return vendor.calls >= kWorthwhileCalls && vendor.total_ns() >= kWorthwhileNs;
}

// Timed calls of each side in a stretch that is judged: more make a stretch surer and longer.
constexpr uint64_t kFewestTimed = 4;

// Empty if a counter was set back meanwhile (CallCounter::Side::time).
std::optional<SideTally> since(const SideTally& now, const SideTally& before) {
  if (now.timed < before.timed || now.timed_ns < before.timed_ns) return std::nullopt;
  return SideTally{now.calls - before.calls, now.timed - before.timed,
                   now.timed_ns - before.timed_ns};
}

}  // namespace

Status PlanPublisher::swap_in(PlanEntry& entry, const MadePlan& plan) {
  auto built = TRIODE_TRY(parts_.maker.make(entry.problem, plan));
  const bool is_watched = watch(entry, plan.code_digest);
  replace(entry, built.release());
  entry.is_shadowed.store(is_watched, std::memory_order_relaxed);
  return {};
}

bool PlanPublisher::watch(PlanEntry& entry, uint64_t code_digest) {
  Watched watched{.code_digest = code_digest, .seen = {}, .judge = {}};
  if (entry.gpu_place == 0) {
    watched.seen = tally_entry(entry.index, parts_.ticks.nanoseconds_per_tick());
  } else if (GpuStopwatch* const known = entry.stopwatch.load(std::memory_order_relaxed)) {
    known->restart();
  } else {
    auto made = parts_.maker.make_stopwatch();
    if (made == nullptr) return false;
    entry.stopwatch.store(made.release(), std::memory_order_release);
  }
  watched_[entry.index] = watched;
  return true;
}

Status PlanPublisher::publish(PlanEntry& entry, const MadePlan& plan, double speedup,
                              std::string remark) {
  TRIODE_TRY(swap_in(entry, plan));
  settle(entry, {PlanState::kPlanned, plan.config, speedup, std::move(remark)});
  return {};
}

Status PlanPublisher::publish_untimed(PlanEntry& entry, const MadePlan& plan, std::string remark) {
  TRIODE_TRY(swap_in(entry, plan));
  parts_.published.set(entry.index, {PlanState::kPlanned, plan.config, 0, std::move(remark)});
  return {};
}

void PlanPublisher::leave_to_vendor(PlanEntry& entry, std::string remark) {
  if (watched_.erase(entry.index) != 0 || entry.gpu_place != 0) take_back(entry);
  PublishedPlan decision;
  decision.remark = std::move(remark);
  settle(entry, std::move(decision));
}

void PlanPublisher::for_each_worthwhile(const Visit& visit) {
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    if (is_settled_[entry.index] || entry.original == nullptr) return;
    if (!parts_.maker.serves(entry)) return;
    EntryTally calls = tally_entry(entry.index, tick_ns);
    if (entry.gpu_place != 0) {
      calls.by_vendor = assumed_on_gpu(entry.problem, calls.by_vendor.calls);
    }
    if (is_worth_a_search(entry, calls.by_vendor)) visit(entry, calls);
  });
}

void PlanPublisher::for_each_settled(const Visit& visit) {
  const double tick_ns = parts_.ticks.nanoseconds_per_tick();
  parts_.table.for_each([&](PlanEntry& entry) {
    if (is_settled_[entry.index]) visit(entry, tally_entry(entry.index, tick_ns));
  });
}

std::vector<PlanPublisher::Withdrawn> PlanPublisher::withdraw_slower() {
  std::vector<Withdrawn> withdrawn;
  parts_.table.for_each([&](PlanEntry& entry) {
    const auto watched = watched_.find(entry.index);
    if (watched == watched_.end()) return;
    const std::optional<Withdrawn> lost = judge(entry, watched->second);
    if (!lost) return;
    watched_.erase(watched);
    take_back(entry);
    PublishedPlan plan = parts_.published.find(entry.index).value_or(PublishedPlan{});
    plan.state = PlanState::kWithdrawn;
    settle(entry, std::move(plan));
    withdrawn.push_back(*lost);
  });
  return withdrawn;
}

std::optional<PlanPublisher::Stretch> PlanPublisher::next_stretch(const PlanEntry& entry,
                                                                  Watched& watched) {
  if (entry.gpu_place != 0) {
    return entry.stopwatch.load(std::memory_order_relaxed)->take_stretch(kFewestTimed);
  }
  const EntryTally now = tally_entry(entry.index, parts_.ticks.nanoseconds_per_tick());
  const std::optional<SideTally> ours = since(now.by_us, watched.seen.by_us);
  const std::optional<SideTally> vendors = since(now.by_vendor, watched.seen.by_vendor);
  if (!ours || !vendors) {
    watched.seen = now;
    return std::nullopt;
  }
  if (ours->timed < kFewestTimed || vendors->timed < kFewestTimed) return std::nullopt;
  watched.seen = now;
  return Stretch{ours->mean_ns(), vendors->mean_ns()};
}

std::optional<PlanPublisher::Withdrawn> PlanPublisher::judge(PlanEntry& entry, Watched& watched) {
  const std::optional<Stretch> stretch = next_stretch(entry, watched);
  if (!stretch) return std::nullopt;
  watched.judge.add(stretch->plan_ns, stretch->vendor_ns);
  if (!watched.judge.has_lost()) return std::nullopt;
  return Withdrawn{&entry, watched.code_digest, stretch->plan_ns, stretch->vendor_ns};
}

void PlanPublisher::settle(const PlanEntry& entry, PublishedPlan decision) {
  is_settled_[entry.index] = true;
  parts_.published.set(entry.index, std::move(decision));
}

void PlanPublisher::take_back(PlanEntry& entry) {
  entry.is_shadowed.store(false, std::memory_order_relaxed);
  replace(entry, nullptr);
}

void PlanPublisher::replace(PlanEntry& entry, const Executable* by) {
  const Executable* const before = entry.executable.exchange(by, std::memory_order_acq_rel);
  if (before != nullptr) retired_.add(before);
}

}  // namespace triode::host
