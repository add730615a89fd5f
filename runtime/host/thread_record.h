// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/host/plan_table.h"

namespace triode::host {

// Adds to a count that the calling thread alone writes. Not fetch_add: a locked instruction costs
// more than a small matmul.
template <typename Count>
[[gnu::always_inline]] inline void add_as_only_writer(std::atomic<Count>& count,
                                                      std::type_identity_t<Count> by) noexcept {
  count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

// Calls of one plan entry by one thread. Written by that thread alone, read by any: relaxed loads
// and stores, so a reader may see a count without its time.
struct CallCounter {
  struct Side {
    std::atomic<uint64_t> calls{0};
    std::atomic<uint64_t> timed{0};  // of these calls
    std::atomic<uint64_t> ticks{0};  // what those took, in ticks of the time stamp counter
    std::atomic<uint32_t> outliers{0};
    std::atomic<uint32_t> shadow_turn{0};  // of calls by us: see ShadowTurns

    [[gnu::always_inline]] void count() noexcept { add_as_only_writer(calls, 1); }
    // A call that took much longer than those before lost its core meanwhile, and is left out: one
    // such would outweigh a thousand others. Unless many do: then that is how long it takes. And
    // those before a much shorter one were such calls, or cold ones.
    void time(uint64_t duration) noexcept;
  };
  Side by_vendor;
  Side by_us;
};

// Calls that no entry counts.
struct OtherCalls {
  std::atomic<uint64_t> empty{0};     // nothing to multiply
  std::atomic<uint64_t> invalid{0};   // not understood
  std::atomic<uint64_t> nested{0};    // made by a BLAS, or by a signal's handler, inside a call
  std::atomic<uint64_t> unlisted{0};  // the table was full
  // Batches of several groups, or at distances that are not equal: the vendor's.
  std::atomic<uint64_t> uneven_batches{0};
};

inline constexpr char kInVendorMark = 0;
inline constexpr const void* kInVendor = &kInVendorMark;
// A frame below which is all of any stack. NOLINTNEXTLINE(performance-no-int-to-ptr): no object's.
inline const void* const kAnyFrame = reinterpret_cast<const void*>(~uintptr_t{0});

// What Triode keeps for one thread of the program: its counters, and what it is doing. Made at the
// thread's first intercepted call, handed on to another thread when it ends (the counts stay, so
// that sums over all records are sums over all threads there ever were), never freed.
struct ThreadRecord {
  // Null between calls; the Executable that runs, or kInVendor. Whoever wants to free an Executable
  // looks here (RetiredCode).
  std::atomic<const void*> busy_with{nullptr};
  // RawCall::frame of the call that the vendor answers; used by this thread alone, and by the
  // handlers of signals on it.
  std::atomic<const void*> vendor_frame{nullptr};
  std::atomic<bool> has_thread{true};
  ThreadRecord* next = nullptr;  // in the list of all
  OtherCalls others;
  std::array<CallCounter, PlanTable::kCapacity> counters{};

  // The vendor is about to answer a call that came with this frame.
  void enter_vendor(const void* frame) noexcept {
    vendor_frame.store(frame, std::memory_order_relaxed);
    busy_with.store(kInVendor, std::memory_order_relaxed);
  }

  // Whether the vendor was left by a jump or an exception, and so is not busy any more: a call that
  // comes with this frame does not come from inside it. Not every such call can be told: one whose
  // frame lies deeper than that of the call that was left looks as if it came from the vendor.
  // Never said of code of ours, which could be freed then: where a handler jumps out of it, the
  // thread stays busy, and its calls are the vendor's.
  bool has_left_vendor(const void* frame) const noexcept {
    return busy_with.load(std::memory_order_relaxed) == kInVendor &&
           frame >= vendor_frame.load(std::memory_order_relaxed);
  }

  // By the offset, which saves the multiplication that an index takes.
  CallCounter& counter_of(const PlanEntry& entry) noexcept {
    auto* const bytes = reinterpret_cast<unsigned char*>(counters.data());
    return *reinterpret_cast<CallCounter*>(bytes + entry.counter_offset);
  }
};
static_assert(sizeof(CallCounter) == kCounterBytes);

// The calling thread's record; null before its first call. initial-exec: one instruction to read,
// and no allocation by the loader; a pointer fits the reserve the loader keeps for late libraries.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadRecord* this_thread_record;

// Makes or takes over a record for the calling thread; null if memory ran out.
ThreadRecord* adopt_thread_record() noexcept;

// The calling thread's record, made now if it has none; null if memory ran out.
inline ThreadRecord* own_thread_record() noexcept {
  return this_thread_record != nullptr ? this_thread_record : adopt_thread_record();
}

// Head of the list of all records, for those who sum up or look who is busy.
ThreadRecord* first_thread_record() noexcept;

// In a forked child: no thread but the calling one is there, and nothing was counted yet. Of a
// table with so many entries: counters beyond are pages that nobody has touched.
void forget_other_threads(size_t entries) noexcept;

}  // namespace triode::host
