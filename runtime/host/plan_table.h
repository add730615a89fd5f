// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/host/call_checks.h"
#include "runtime/host/call_meaning.h"
#include "runtime/host/executable.h"
#include "runtime/host/gpu_stopwatch.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Size of a CallCounter (thread_record.h), of which a thread has one for each entry.
inline constexpr uint32_t kCounterBytes = 64;

// What is known in this process about the calls of one key.
struct alignas(64) PlanEntry {
  // First cache line: all that a call without a batch is compared with.
  uint64_t hash = 0;
  CallKey key;
  // Null: the vendor answers. Changed by the background thread alone, but for a plan that is
  // forced.
  std::atomic<const Executable*> executable{nullptr};
  std::atomic<bool> is_listed{false};  // false: not yet, or another entry of this key came first
  uint32_t index = 0;                  // of this entry in its table
  uint32_t counter_offset = 0;         // of its counter in a ThreadRecord's, in bytes
  Spelling spelling;                   // what the key says of these, as it is compared on a hit
  int32_t threads = 0;                 // of the vendor; a plan's are the problem's
  bool is_aligned = false;
  uint64_t scalars = 0;  // call_traits::of_scalars
  CallChecks checks;
  bool times_every_call = false;   // so long that reading the clock twice does not show
  bool is_shadowed_often = false;  // so long that few of its calls say enough (ShadowTurns)
  // The vendor answers some calls although there is a plan, so that it shows when the plan has lost
  // its lead. Changed by the background thread alone.
  std::atomic<bool> is_shadowed{false};
  bool operands_exchanged = false;
  uint16_t gpu_place = 0;  // gpu_places.h; 0: a call on the processor
  // Of an entry on a GPU that is shadowed. Set once, by the background thread, and never freed.
  std::atomic<GpuStopwatch*> stopwatch{nullptr};
  void* original = nullptr;  // of the call that was seen first; plans race against it
  Problem problem;
};

// Where a call of this key runs: PlanEntry::gpu_place.
uint16_t gpu_place_of(uint64_t traits);

// The calls that this process has made and the plans for them, by their exact key: an entry is
// taken only if its whole key is equal, so two keys with one hash are a miss and never the wrong
// kernel. Entries are added and never removed.
//
// Lookups and additions take no lock and allocate nothing; any thread may do both. (A thread that
// misses adds the entry itself, so that it can count its calls there at once.) Entries lie one
// after another in the order of their addition, and slots by hash name them: so the first calls of
// many shapes touch few pages, which the system provides some hundred entries ahead.
class PlanTable {
 public:
  // An empty table, in pages that are mapped when they are first used; it lives until the process
  // ends. Null if memory ran out.
  static PlanTable* create() noexcept;

  static constexpr int kCapacityBits = 14;
  static constexpr size_t kCapacity = size_t{1} << kCapacityBits;  // slots
  // Beyond, new calls are not remembered and go to the vendor: probing a fuller table costs more.
  static constexpr size_t kMostEntries = kCapacity * 3 / 4;

  // A linear hash with random odd factors: a multiplication and an addition a word. The batch joins
  // in where there is one.
  static uint64_t hash_of(const CallKey& key) noexcept {
    auto word = [](int64_t value) { return static_cast<uint64_t>(value); };
    uint64_t hash = word(key.m) * 0x9E3779B97F4A7C15u + word(key.n) * 0xC2B2AE3D27D4EB4Fu +
                    word(key.k) * 0x165667B19E3779F9u + word(key.lda) * 0xD6E8FEB86659FD93u +
                    word(key.ldb) * 0xA0761D6478BD642Fu + word(key.ldc) * 0xE7037ED1A0B428DBu +
                    key.traits * 0x8EBC6AF09C88C6E3u;
    if (key.batch != 1) {
      hash += word(key.batch) * 0x589965CC75374CC3u + word(key.a_stride) * 0x1D8E4E27C47D124Fu +
              word(key.b_stride) * 0xEB44ACCAB455D165u + word(key.c_stride) * 0x9C6E6877736C46E3u;
    }
    return hash | 1;
  }

  // Entries whose pages are provided at once, and so the calls of new shapes between two that wait
  // for that: fewer calls wait the longer, or more the shorter.
  static constexpr size_t kEntriesAhead = 256;

  // Null if the key is not there.
  PlanEntry* find(const CallKey& key, uint64_t hash) noexcept {
    for (size_t slot = slot_of(hash);; slot = (slot + 1) % kCapacity) {
      const uint64_t there = slots_[slot].load(std::memory_order_acquire);
      if (there == kFree) return nullptr;
      if (tag_of(there) != tag_of(hash)) continue;
      PlanEntry& entry = entries_[index_of(there)];
      if (is_entry_of(entry, key, hash)) [[likely]]
        return &entry;
    }
  }

  // Adds the key with its meaning, or finds it. Null if the table is full.
  PlanEntry* add(const CallKey& key, uint64_t hash, const CallMeaning& meaning,
                 void* original) noexcept;

  // In a forked child, where threads of a pool are gone: calls whose plans may have several are
  // found no more, and so are added anew. No other thread may be there.
  void drop_threaded() noexcept;

  // Entries that were added; a few of them may not be listed.
  size_t size() const { return size_.load(std::memory_order_acquire); }

  // Calls visit(entry) for every entry that is listed, in the order in which they were added.
  template <typename Visit>
  void for_each(const Visit& visit) {
    for (size_t i = 0; i < size(); ++i) {
      if (entries_[i].is_listed.load(std::memory_order_acquire)) visit(entries_[i]);
    }
  }

 private:
  PlanTable() = delete;  // see create()
  static bool is_entry_of(const PlanEntry& entry, const CallKey& key, uint64_t hash) noexcept {
    if (entry.hash != hash) return false;
    const CallKey& e = entry.key;
    const bool plain = e.m == key.m && e.n == key.n && e.k == key.k && e.lda == key.lda &&
                       e.ldb == key.ldb && e.ldc == key.ldc && e.traits == key.traits;
    return plain && e.batch == key.batch &&
           (key.batch == 1 || (e.a_stride == key.a_stride && e.b_stride == key.b_stride &&
                               e.c_stride == key.c_stride));
  }

  PlanEntry* take_entry() noexcept;

  // A slot in use: the lower half of a hash, and above it the index of its entry.
  static constexpr uint64_t kFree = 0;  // no hash is even
  static size_t slot_of(uint64_t hash) { return hash >> (64 - kCapacityBits); }
  static uint32_t tag_of(uint64_t slot_or_hash) { return static_cast<uint32_t>(slot_or_hash); }
  static size_t index_of(uint64_t slot) { return slot >> 32; }

  std::array<PlanEntry, kCapacity> entries_;
  std::array<std::atomic<uint64_t>, kCapacity> slots_;
  std::atomic<size_t> size_;
};

}  // namespace triode::host
