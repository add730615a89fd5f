// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_table.h"

#include <sys/mman.h>

namespace triode::host {
namespace {

// Calls of at least so many operations take long enough (some microseconds) to be timed each.
constexpr double kLongCallFlops = 1e6;
// And of so many, milliseconds.
constexpr double kVeryLongCallFlops = 1e8;

}  // namespace

// Zeroed pages are free entries; running constructors over them would touch them all.
PlanTable* PlanTable::create() noexcept {
  void* const memory =
      mmap(nullptr, sizeof(PlanTable), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<PlanTable*>(memory);
}

PlanEntry* PlanTable::add(const CallKey& key, uint64_t hash, const CallMeaning& meaning,
                          void* original) noexcept {
  for (size_t slot = slot_of(hash);; slot = (slot + 1) % kCapacity) {
    PlanEntry& entry = entries_[slot];
    uint64_t there = entry.hash.load(std::memory_order_acquire);
    if (there == 0) {
      if (size() >= kMostEntries) return nullptr;
      if (entry.hash.compare_exchange_strong(there, hash, std::memory_order_acq_rel)) {
        entry.index = static_cast<uint32_t>(slot);
        entry.counter_offset = entry.index * kCounterBytes;
        entry.key = key;
        entry.spelling = call_traits::spelling(key.traits);
        entry.threads = call_traits::threads(key.traits);
        entry.scalars = call_traits::only_scalars(key.traits);
        entry.is_aligned = call_traits::is_aligned(key.traits);
        entry.times_every_call = meaning.problem.flops() >= kLongCallFlops;
        entry.is_shadowed_often = meaning.problem.flops() >= kVeryLongCallFlops;
        entry.checks = CallChecks(meaning, !entry.times_every_call);
        entry.problem = meaning.problem;
        entry.operands_exchanged = meaning.operands_exchanged;
        entry.original = original;
        entry.is_ready.store(true, std::memory_order_release);
        const size_t place = size_.fetch_add(1, std::memory_order_acq_rel);
        order_[place].store(static_cast<uint32_t>(slot) + 1, std::memory_order_release);
        return &entry;
      }
    }
    if (there != hash) continue;
    if (!entry.is_ready.load(std::memory_order_acquire)) return nullptr;
    if (entry.key == key) return &entry;
  }
}

}  // namespace triode::host
