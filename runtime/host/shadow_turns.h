// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/host/plan_table.h"
#include "runtime/host/thread_record.h"

namespace triode::host {

// Calls between two that are timed, of those that are not all timed: reading the clock twice costs
// about 20 ns.
inline constexpr uint64_t kTimedOneIn = 64;

// Whose turn it is to answer a call that has a plan.
enum class Turn : uint8_t {
  kPlan,
  kVendorUntimed,  // so that its code is in the caches when it is timed
  kVendorTimed,
};

// Which calls of a plan the vendor answers after all: of every 256 one that is timed, right after
// one that is not; of calls of milliseconds, where caches do not show, one of 64. They come where
// the hit path leaves a call to the slow one to be timed, so that hits cost nothing more. More of
// them would show a lost lead sooner, and take more of what the plan gains.
//
// On a GPU the first calls of a plan are looked at more often: it won its race on a GPU that was
// idle, and what it is worth in the program is decided there.
class ShadowTurns {
 public:
  // Asked once for each call, before it is answered. Without a lock; of one thread's counter.
  static Turn take(const PlanEntry& entry, CallCounter::Side& by_us) noexcept {
    const uint64_t calls = by_us.calls.load(std::memory_order_relaxed);
    const uint64_t between = calls_between_looks(entry, calls);
    const uint64_t looks = calls / between;
    if (calls % between != 0 || looks == 0) return Turn::kPlan;
    if (!entry.is_shadowed_often && looks % kLooksPerTurn != kLooksPerTurn - 1) return Turn::kPlan;
    // A call of the vendor's does not count as one by us, so what was done at this count is noted:
    // twice the looks, less one after the first of two.
    const auto done = static_cast<uint32_t>(2 * looks);
    const uint32_t noted = by_us.shadow_turn.load(std::memory_order_relaxed);
    if (noted == done) return Turn::kPlan;
    const bool is_timed = entry.is_shadowed_often || noted == done - 1;
    by_us.shadow_turn.store(is_timed ? done : done - 1, std::memory_order_relaxed);
    return is_timed ? Turn::kVendorTimed : Turn::kVendorUntimed;
  }

  // Whether the plan's call after so many is one that is timed, or the vendor's turn.
  static bool is_look(const PlanEntry& entry, const CallCounter::Side& by_us) noexcept {
    const uint64_t calls = by_us.calls.load(std::memory_order_relaxed);
    return calls % calls_between_looks(entry, calls) == 0;
  }

 private:
  static constexpr uint64_t kLooksPerTurn = 4;
  // Sixteen of the vendor's calls, which is enough to withdraw a plan that takes half as long
  // again, for one in sixteen of so many.
  static constexpr uint64_t kFirstGpuCalls = 512;
  static constexpr uint64_t kFirstGpuTimedOneIn = 8;

  static uint64_t calls_between_looks(const PlanEntry& entry, uint64_t calls) noexcept {
    const bool is_new = entry.gpu_place != 0 && calls < kFirstGpuCalls;
    return is_new ? kFirstGpuTimedOneIn : kTimedOneIn;
  }
};

}  // namespace triode::host
