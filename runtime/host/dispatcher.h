// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <x86intrin.h>

#include <atomic>
#include <cstdint>

#include "runtime/host/call_sites.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/raw_call.h"
#include "runtime/host/shadow_turns.h"
#include "runtime/host/thread_record.h"

namespace triode::host {

// A call that the vendor is to answer, between Dispatcher::enter and leave.
struct VendorTicket {
  bool is_answered = false;        // by us: do not call the vendor
  ThreadRecord* thread = nullptr;  // null: a call inside another
  CallCounter* counter = nullptr;  // null: counted already
  uint64_t start_ticks = 0;        // 0: not timed
};

// The same of a call on a GPU.
struct GpuTicket {
  VendorTicket vendor;
  GpuLap* lap = nullptr;  // what the vendor does is timed
};

// A call whose caller has a kernel of its own, between Dispatcher::offer and run or leave.
struct OfferedCall {
  PlanEntry* entry = nullptr;  // null: the caller's kernel is to answer
  // Of the call, whoever answers; while it is the plan's turn, no vendor is marked as busy.
  VendorTicket ticket;
};

// What happens where the hit path ends. Called on the program's threads.
class SlowPath {
 public:
  // A key that the table does not hold: adds it if it is understood, perhaps with a plan. Null:
  // the vendor answers, and `thread` has counted it, and may be marked as busy in it.
  virtual PlanEntry* on_miss(const RawCall& call, uint64_t hash, const CallSite& site,
                             ThreadRecord& thread) noexcept = 0;
  // The vendor's calls of one entry have taken so long together that a faster kernel would pay.
  virtual void on_worth_tuning() noexcept = 0;
  // The same for an entry on a GPU, whose times nobody sees here: by its calls.
  virtual void on_gpu_worth_tuning() noexcept {}

 protected:
  ~SlowPath() = default;
};

// Finds out who answers an intercepted call, and counts it. A hit takes no lock, allocates nothing,
// makes no system call and throws nothing. Its shortest ways, of a call that comes again, are in
// hit_path.h, which whoever takes them includes.
//
//   if (dispatcher.answer_repeated(site, sizes, spelling, a, b, c, alpha, beta)) return;
//   const VendorTicket ticket = dispatcher.enter(call, site);
//   if (ticket.is_answered) return;
//   original(...);
//   dispatcher.leave(ticket);
class Dispatcher {
 public:
  struct Options {
    bool ignores_alignment = false;  // plans are valid for any pointer, so calls differ by none
  };

  Dispatcher(PlanTable& table, SlowPath& slow_path, Options options)
      : alignment_bits_(options.ignores_alignment ? ~uintptr_t{0} : kCacheLineBits),
        table_(table),
        slow_path_(slow_path) {}

  // Answers a call that is the same as an earlier one from its site and that one kernel answers,
  // with scalars that kernels have built in: about a hundred instructions from the entry point to
  // the kernel. False: enter() knows the rest.
  template <typename Scalar, typename Int>
  bool answer_repeated(const CallSite& site, const CallSizes<Int>& sizes, const Spelling& spelling,
                       const Scalar* a, const Scalar* b, Scalar* c, Scalar alpha,
                       Scalar beta) const noexcept;

  // The same for a call that the vendor answers (`frame`: see RawCall): nothing of it has to be
  // gathered in memory. A ticket without a thread: enter() knows the rest.
  template <typename Scalar, typename Int>
  VendorTicket enter_repeated(const CallSite& site, const CallSizes<Int>& sizes,
                              const Spelling& spelling, const Scalar* a, const Scalar* b,
                              const Scalar* c, Scalar alpha, Scalar beta,
                              const void* frame) const noexcept;

  // The same for a call that has the symbol, the sizes and the spelling of this entry.
  template <typename Scalar>
  bool answer_known(const CallSite& site, const PlanEntry& entry, const Scalar* a, const Scalar* b,
                    Scalar* c, Scalar alpha, Scalar beta) const noexcept;

  // `call` is as it came; what the site and the pointers add to its key is added here.
  VendorTicket enter(RawCall& call, const CallSite& site) noexcept;

  // The same for a caller whose calls differ in pointers and scalars alone: `known`, null at first,
  // keeps the entry of the latest one, and a call of that very key needs no lookup.
  VendorTicket enter(RawCall& call, const CallSite& site, std::atomic<PlanEntry*>& known) noexcept;

  // The same for a caller that makes room for c only once it knows who answers: decides whose turn
  // it is. A c that is null counts as lying at a cache line.
  OfferedCall offer(RawCall& call, const CallSite& site) noexcept;
  // Runs the plan of a call whose turn it is, with the c that there is room for now. False: it
  // could not, and the vendor's turn has begun, in offered.ticket.
  bool run(const RawCall& call, OfferedCall& offered) noexcept;

  // The entry of a call that is yet to come. Without all three pointers it is one for any
  // alignment. Null: see SlowPath::on_miss.
  PlanEntry* prepare(RawCall& call, const CallSite& site) noexcept;

  // What site and pointers add to the key of a call that the vendor can answer.
  uint64_t traits_of_call(const CallSite& site, bool is_aligned) const noexcept {
    return site.traits | uint64_t{is_aligned} << call_traits::kAligned |
           static_cast<uint64_t>(thread_budget(site)) << call_traits::kThreads;
  }

  // Whether calls with these pointers may run what is made for pointers at cache lines.
  bool is_aligned(const void* a, const void* b, const void* c) const noexcept {
    return is_aligned(CallChecks::pointer_bits(a, b, c));
  }

  void leave(const VendorTicket& ticket) noexcept;

  // Counts a batch that no Problem can say and that the vendor is to answer. The vendor is not
  // marked as busy: calls that it makes for single matrices are answered as any others.
  static void count_uneven_batch(const void* frame) noexcept;

  // The same pair for a call on a GPU, at that place (gpu_places.h). What is called there only
  // enqueues, so what it takes is timed on the GPU, and by the turns of a plan alone.
  GpuTicket enter_gpu(RawCall& call, const CallSite& site, int place) noexcept;
  void leave_gpu(const GpuTicket& ticket, bool has_succeeded) noexcept;

  // Starts or ends the calls of on_worth_tuning().
  void watch_for_worth(bool watches) { watches_.store(watches, std::memory_order_relaxed); }
  void watch_gpu_for_worth(bool watches) { watches_gpu_.store(watches, std::memory_order_relaxed); }

 private:
  static constexpr uintptr_t kCacheLineBits = 63;
  static bool is_turn_for_timing(const CallCounter::Side& side) noexcept {
    return side.calls.load(std::memory_order_relaxed) % kTimedOneIn == 0;
  }
  static bool is_timed(const PlanEntry& entry, const CallCounter::Side& side) noexcept {
    return entry.times_every_call || is_turn_for_timing(side);
  }
  bool is_aligned(uintptr_t bits) const noexcept { return (bits & alignment_bits_) == 0; }
  static int thread_budget(const CallSite& site) noexcept {
    const int counted = *site.thread_count;
    const bool is_told = counted > 0 && counted <= call_traits::kMaxThreads;
    return is_told ? counted : site.vendor->thread_budget();
  }
  template <typename Int>
  PlanEntry* guess(const CallSite& site, const CallSizes<Int>& sizes, const Spelling& spelling,
                   uintptr_t pointer_bits) const noexcept;
  static VendorTicket start_vendor(ThreadRecord& thread, CallCounter& counter, bool is_timed,
                                   const void* frame) noexcept {
    thread.enter_vendor(frame);
    return {.thread = &thread, .counter = &counter, .start_ticks = is_timed ? __rdtsc() : 0};
  }
  // What is left to do for a call of this entry, once all else is known to be right.
  static bool run_kernel(const PlanEntry& entry, ThreadRecord& thread, const void* a, const void* b,
                         void* c) noexcept;
  // The calling thread's record, and the whole key in `call`; null if there is nothing to count.
  ThreadRecord* begin(RawCall& call, const CallSite& site) noexcept;
  static bool is_nested(ThreadRecord& thread, const RawCall& call) noexcept;
  PlanEntry* find_or_add(const RawCall& call, const CallSite& site, ThreadRecord& thread) noexcept;
  VendorTicket answer(const RawCall& call, PlanEntry& entry, ThreadRecord& thread,
                      const CallSite& site) noexcept;
  bool try_plan(const RawCall& call, PlanEntry& entry, CallCounter& counter, ThreadRecord& thread,
                const CallSite& site) noexcept;
  // Whether there is a plan that may run the call, and did.
  static bool run_plan(const RawCall& call, PlanEntry& entry, ThreadRecord& thread) noexcept;
  struct GpuTurn {
    bool is_plans = true;
    GpuLap* lap = nullptr;  // it is timed
  };
  static GpuTurn take_gpu_turn(const PlanEntry& entry, CallCounter& counter, void* stream) noexcept;

  uintptr_t alignment_bits_;  // a call is aligned if no pointer has any of these
  PlanTable& table_;
  SlowPath& slow_path_;
  std::atomic<bool> watches_{false};
  std::atomic<bool> watches_gpu_{false};
};

// Vendor time of one entry on one thread after which it is worth a search: a thousandth of what a
// search costs would be lost on noise, and a program that multiplies once should see no thread.
constexpr uint64_t kWorthTuningTicks = 4'000'000;  // 1 to 2 ms

// Calls of one entry on a GPU, on one thread, after which it is worth a search: a step of training
// or inference makes the same call many times, a program that multiplies once does not.
constexpr uint64_t kWorthTuningGpuCalls = 8;

}  // namespace triode::host
