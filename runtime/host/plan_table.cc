// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_table.h"

#include <sys/mman.h>

#include "runtime/host/touch_ahead.h"

namespace triode::host {
namespace {

// Calls of at least so many operations take long enough (some microseconds) to be timed each.
constexpr double kLongCallFlops = 1e6;
// And of so many, milliseconds.
constexpr double kVeryLongCallFlops = 1e8;

void fill(PlanEntry& entry, const CallKey& key, uint64_t hash, const CallMeaning& meaning,
          void* original) {
  entry.hash = hash;
  entry.key = key;
  entry.spelling = call_traits::spelling(key.traits);
  entry.threads = call_traits::threads(key.traits);
  entry.scalars = call_traits::only_scalars(key.traits);
  entry.is_aligned = call_traits::is_aligned(key.traits);
  entry.gpu_place = gpu_place_of(key.traits);
  entry.times_every_call = meaning.problem.flops() >= kLongCallFlops;
  entry.is_shadowed_often = entry.gpu_place == 0 && meaning.problem.flops() >= kVeryLongCallFlops;
  entry.checks = CallChecks(meaning, !entry.times_every_call);
  entry.problem = meaning.problem;
  entry.operands_exchanged = meaning.operands_exchanged;
  entry.original = original;
}

}  // namespace

uint16_t gpu_place_of(uint64_t traits) {
  const bool is_on_gpu = traits_of(call_traits::symbol(traits)).is_on_gpu();
  return is_on_gpu ? static_cast<uint16_t>(call_traits::threads(traits)) : 0;
}

// Zeroed pages are free entries; running constructors over them would touch them all.
PlanTable* PlanTable::create() noexcept {
  void* const memory =
      mmap(nullptr, sizeof(PlanTable), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const table = static_cast<PlanTable*>(memory);
  touch_ahead(&table->slots_, sizeof table->slots_);
  return table;
}

// Null if all are taken.
PlanEntry* PlanTable::take_entry() noexcept {
  size_t taken = size();
  do {
    if (taken >= kMostEntries) return nullptr;
  } while (!size_.compare_exchange_weak(taken, taken + 1, std::memory_order_acq_rel));
  if (taken % kEntriesAhead == 0) touch_ahead(&entries_[taken], kEntriesAhead * sizeof(PlanEntry));
  entries_[taken].index = static_cast<uint32_t>(taken);
  entries_[taken].counter_offset = entries_[taken].index * kCounterBytes;
  return &entries_[taken];
}

// They stay where they are, since a caller may hold one; but nothing equals their key.
void PlanTable::drop_threaded() noexcept {
  for_each([](PlanEntry& entry) {
    if (entry.problem.threads == 1) return;
    entry.hash = 0;
    entry.key.traits = ~uint64_t{0};
    entry.is_listed.store(false, std::memory_order_relaxed);
  });
}

PlanEntry* PlanTable::add(const CallKey& key, uint64_t hash, const CallMeaning& meaning,
                          void* original) noexcept {
  PlanEntry* added = nullptr;
  for (size_t slot = slot_of(hash);; slot = (slot + 1) % kCapacity) {
    uint64_t there = slots_[slot].load(std::memory_order_acquire);
    if (there == kFree) {
      if (added == nullptr) {
        added = take_entry();
        if (added == nullptr) return nullptr;
        fill(*added, key, hash, meaning, original);
      }
      const uint64_t ours = uint64_t{added->index} << 32 | tag_of(hash);
      if (slots_[slot].compare_exchange_strong(there, ours, std::memory_order_acq_rel)) {
        added->is_listed.store(true, std::memory_order_release);
        return added;
      }
    }
    if (tag_of(there) != tag_of(hash)) continue;
    // If that is the key, another thread was faster, and what was filled here stays unused.
    PlanEntry& entry = entries_[index_of(there)];
    if (entry.hash == hash && entry.key == key) return &entry;
  }
}

}  // namespace triode::host
