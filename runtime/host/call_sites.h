// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/host/blas_symbols.h"
#include "runtime/host/vendor.h"

namespace triode::host {

struct PlanEntry;

// One instruction somewhere in the process that calls an intercepted symbol, and where that call
// would have gone. Lives until the process ends; immutable, but for the guess.
struct CallSite {
  const void* return_address = nullptr;
  Symbol symbol{};
  void* original = nullptr;        // null: nobody defines the symbol
  const Vendor* vendor = nullptr;  // who holds the original
  uint64_t traits = 0;             // call_traits::of_site
  // Vendor::thread_count, a load nearer; where that is null, of a number that no entry has.
  const volatile int* thread_count = nullptr;
  // The original takes 64-bit sizes and the symbol promises 32-bit ones, so that what is read of
  // them here is not all: calls are not understood.
  bool cuts_sizes = false;
  // The entry that a call from here has hit: most sites keep making the same call.
  mutable std::atomic<PlanEntry*> guess{nullptr};
  mutable const CallSite* next = nullptr;  // in a list of CallSites
};

// The call sites seen so far. Two libraries with a BLAS of their own each keep it, because each is
// found by its own return address. Lookups take no lock; constant-initialised, so that calls made
// before this library's own start find it ready.
class CallSites {
 public:
  // A site that was seen before and lies where it is looked for first; else null. Ten instructions.
  const CallSite* find_quickly(Symbol symbol, const void* return_address) const noexcept {
    const CallSite* const site =
        slots_[slot_of(symbol, return_address)].load(std::memory_order_acquire);
    const bool is_it =
        site != nullptr && site->return_address == return_address && site->symbol == symbol;
    return is_it ? site : nullptr;
  }

  // Any site: a new one asks the loader. Without memory for it, one that holds until this thread's
  // next call.
  const CallSite& at(Symbol symbol, const void* return_address) noexcept;

  // Forgets every site: a library was closed, and another may come to lie where it was. One that is
  // found again as it was is the same again, so that closing libraries takes no memory for good.
  void forget_all() noexcept;

  // The lock that a new site takes, for the moment of a fork.
  std::mutex& mutex() { return mutex_; }

 private:
  static constexpr size_t kSlots = 1024;  // a power of two; 8 KiB
  static constexpr size_t kProbes = 8;

  static size_t slot_of(Symbol symbol, const void* return_address) {
    const auto mixed =
        (reinterpret_cast<uintptr_t>(return_address) + static_cast<uint64_t>(symbol)) *
        0x9E3779B97F4A7C15u;
    return mixed >> 54;
  }

  const CallSite* add(Symbol symbol, const void* return_address);
  const CallSite* find_locked(Symbol symbol, const void* return_address) const;
  void insert_locked(const CallSite* site);
  const CallSite* take_forgotten_locked(const CallSite& like);

  std::array<std::atomic<const CallSite*>, kSlots> slots_{};
  // Lists that the lock guards.
  const CallSite* crowded_ = nullptr;    // sites that found no slot
  const CallSite* forgotten_ = nullptr;  // a thread may still be in a call of theirs
  std::mutex mutex_;
};

extern constinit CallSites the_call_sites;

// A site that is most likely known.
inline const CallSite& site_of_call(Symbol symbol, const void* return_address) noexcept {
  const CallSite* const site = the_call_sites.find_quickly(symbol, return_address);
  return site != nullptr ? *site : the_call_sites.at(symbol, return_address);
}

}  // namespace triode::host
