// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/dispatcher.h"

namespace triode::host {

[[gnu::always_inline]] inline bool Dispatcher::run_plan(const RawCall& call, PlanEntry& entry,
                                                        ThreadRecord& thread) noexcept {
  const Executable* const executable = entry.executable.load(std::memory_order_acquire);
  if (executable == nullptr || !entry.checks.allow(call)) return false;
  thread.busy_with.store(executable, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // see run_kernel(), hit_path.h
  bool is_answered = false;
  if (entry.executable.load(std::memory_order_acquire) == executable) [[likely]] {
    is_answered = executable->run(call, entry.operands_exchanged);
  }
  thread.busy_with.store(nullptr, std::memory_order_release);
  return is_answered;
}

inline bool Dispatcher::try_plan(const RawCall& call, PlanEntry& entry, CallCounter& counter,
                                 ThreadRecord& thread, const CallSite& site) noexcept {
  if (entry.executable.load(std::memory_order_relaxed) == nullptr) return false;
  const uint64_t start = is_timed(entry, counter.by_us) ? __rdtsc() : 0;
  if (!run_plan(call, entry, thread)) return false;
  counter.by_us.count();
  if (start != 0) {
    counter.by_us.time(__rdtsc() - start);
    // Not at every call: sites that alternate would pass the line between processors.
    site.guess.store(&entry, std::memory_order_release);
  }
  return true;
}

// A call that the vendor makes in turn.
[[gnu::always_inline]] inline bool Dispatcher::is_nested(ThreadRecord& thread,
                                                         const RawCall& call) noexcept {
  const bool is_inside = thread.busy_with.load(std::memory_order_relaxed) != nullptr &&
                         !thread.has_left_vendor(call.frame);
  if (is_inside) [[unlikely]]
    add_as_only_writer(thread.others.nested, 1);
  return is_inside;
}

[[gnu::always_inline]] inline ThreadRecord* Dispatcher::begin(RawCall& call,
                                                              const CallSite& site) noexcept {
  ThreadRecord* const thread = own_thread_record();
  if (thread == nullptr || is_nested(*thread, call)) return nullptr;
  call.key.traits |= traits_of_call(site, is_aligned(call.a, call.b, call.c));
  return thread;
}

[[gnu::always_inline]] inline PlanEntry* Dispatcher::find_or_add(const RawCall& call,
                                                                 const CallSite& site,
                                                                 ThreadRecord& thread) noexcept {
  const uint64_t hash = PlanTable::hash_of(call.key);
  PlanEntry* const entry = table_.find(call.key, hash);
  if (entry != nullptr) [[likely]]
    return entry;
  return slow_path_.on_miss(call, hash, site, thread);
}

[[gnu::always_inline]] inline VendorTicket Dispatcher::answer(const RawCall& call, PlanEntry& entry,
                                                              ThreadRecord& thread,
                                                              const CallSite& site) noexcept {
  CallCounter& counter = thread.counter_of(entry);
  if (entry.is_shadowed.load(std::memory_order_relaxed)) {
    const Turn turn = ShadowTurns::take(entry, counter.by_us);
    if (turn != Turn::kPlan) {
      return start_vendor(thread, counter, turn == Turn::kVendorTimed, call.frame);
    }
  }
  if (try_plan(call, entry, counter, thread, site)) return {.is_answered = true};
  const VendorTicket ticket =
      start_vendor(thread, counter, is_timed(entry, counter.by_vendor), call.frame);
  if (ticket.start_ticks != 0) site.guess.store(&entry, std::memory_order_release);
  return ticket;
}

VendorTicket Dispatcher::enter(RawCall& call, const CallSite& site) noexcept {
  ThreadRecord* const thread = begin(call, site);
  if (thread == nullptr) return {};
  PlanEntry* const entry = find_or_add(call, site, *thread);
  return entry == nullptr ? VendorTicket{.thread = thread} : answer(call, *entry, *thread, site);
}

VendorTicket Dispatcher::enter(RawCall& call, const CallSite& site,
                               std::atomic<PlanEntry*>& known) noexcept {
  ThreadRecord* const thread = begin(call, site);
  if (thread == nullptr) return {};
  PlanEntry* entry = known.load(std::memory_order_acquire);
  // The sizes are the caller's promise; alignment, scalars, threads and vendor are all in here.
  if (entry == nullptr || entry->key.traits != call.key.traits) {
    entry = find_or_add(call, site, *thread);
    if (entry == nullptr) return {.thread = thread};
    known.store(entry, std::memory_order_release);
  }
  return answer(call, *entry, *thread, site);
}

OfferedCall Dispatcher::offer(RawCall& call, const CallSite& site) noexcept {
  ThreadRecord* const thread = begin(call, site);
  if (thread == nullptr) return {};
  PlanEntry* const entry = find_or_add(call, site, *thread);
  if (entry == nullptr) return {.ticket = {.thread = thread}};
  CallCounter& counter = thread->counter_of(*entry);
  const bool has_plan = entry->executable.load(std::memory_order_relaxed) != nullptr;
  const bool is_shadowed = has_plan && entry->is_shadowed.load(std::memory_order_relaxed);
  const Turn turn = is_shadowed ? ShadowTurns::take(*entry, counter.by_us) : Turn::kPlan;
  if (has_plan && turn == Turn::kPlan) {
    const uint64_t start = is_timed(*entry, counter.by_us) ? __rdtsc() : 0;
    return {.entry = entry,
            .ticket = {.thread = thread, .counter = &counter, .start_ticks = start}};
  }
  const bool times_vendor =
      has_plan ? turn == Turn::kVendorTimed : is_timed(*entry, counter.by_vendor);
  return {.ticket = start_vendor(*thread, counter, times_vendor, call.frame)};
}

bool Dispatcher::run(const RawCall& call, OfferedCall& offered) noexcept {
  const VendorTicket& ticket = offered.ticket;
  // The alignment that was looked up is that of the c there is now, or the plan is for another.
  const bool is_that_call =
      offered.entry->is_aligned == is_aligned(call.a, call.b, call.c) || !offered.entry->is_aligned;
  if (is_that_call && run_plan(call, *offered.entry, *ticket.thread)) {
    CallCounter::Side& by_us = ticket.counter->by_us;
    by_us.count();
    if (ticket.start_ticks != 0) by_us.time(__rdtsc() - ticket.start_ticks);
    return true;
  }
  offered.ticket = start_vendor(*ticket.thread, *ticket.counter, false, call.frame);
  offered.entry = nullptr;
  return false;
}

PlanEntry* Dispatcher::prepare(RawCall& call, const CallSite& site) noexcept {
  ThreadRecord* const thread = own_thread_record();
  if (thread == nullptr) return nullptr;
  const bool has_pointers = call.a != nullptr && call.b != nullptr && call.c != nullptr;
  call.key.traits |= traits_of_call(site, has_pointers && is_aligned(call.a, call.b, call.c));
  return find_or_add(call, site, *thread);
}

void Dispatcher::leave(const VendorTicket& ticket) noexcept {
  if (ticket.thread == nullptr) return;
  ticket.thread->busy_with.store(nullptr, std::memory_order_release);
  if (ticket.counter == nullptr) return;
  CallCounter::Side& side = ticket.counter->by_vendor;
  side.count();
  if (ticket.start_ticks == 0) return;
  side.time(__rdtsc() - ticket.start_ticks);
  if (!watches_.load(std::memory_order_relaxed)) return;
  const uint64_t calls = side.calls.load(std::memory_order_relaxed);
  const uint64_t timed = side.timed.load(std::memory_order_relaxed);
  const uint64_t ticks = side.ticks.load(std::memory_order_relaxed);
  if (calls > 1 && ticks / timed * calls >= kWorthTuningTicks) slow_path_.on_worth_tuning();
}

void Dispatcher::count_uneven_batch(const void* frame) noexcept {
  ThreadRecord* const thread = own_thread_record();
  if (thread == nullptr || is_nested(*thread, {.key = {}, .frame = frame})) return;
  add_as_only_writer(thread->others.uneven_batches, 1);
}

// At a look, one call in many: asks the driver whether it may be timed.
[[gnu::noinline]] Dispatcher::GpuTurn Dispatcher::take_gpu_turn(const PlanEntry& entry,
                                                                CallCounter& counter,
                                                                void* stream) noexcept {
  GpuStopwatch* const stopwatch = entry.stopwatch.load(std::memory_order_acquire);
  if (stopwatch == nullptr || !stopwatch->may_time(stream)) return {};
  const Turn turn = ShadowTurns::take(entry, counter.by_us);
  if (turn == Turn::kVendorUntimed) return {.is_plans = false};
  const bool is_plans = turn == Turn::kPlan;
  GpuLap* const lap = stopwatch->begin(is_plans ? Answerer::kPlan : Answerer::kVendor, stream);
  // The vendor's turn is for its time alone.
  return {.is_plans = is_plans || lap == nullptr, .lap = lap};
}

GpuTicket Dispatcher::enter_gpu(RawCall& call, const CallSite& site, int place) noexcept {
  ThreadRecord* const thread = own_thread_record();
  if (thread == nullptr || is_nested(*thread, call)) return {};
  call.key.traits |= site.traits |
                     uint64_t{is_aligned(call.a, call.b, call.c)} << call_traits::kAligned |
                     static_cast<uint64_t>(place) << call_traits::kThreads;
  PlanEntry* const entry = find_or_add(call, site, *thread);
  if (entry == nullptr) return {.vendor = {.thread = thread}};
  CallCounter& counter = thread->counter_of(*entry);
  GpuTurn turn;
  if (entry->is_shadowed.load(std::memory_order_relaxed) &&
      ShadowTurns::is_look(*entry, counter.by_us)) [[unlikely]] {
    turn = take_gpu_turn(*entry, counter, call.stream);
  }
  if (turn.is_plans) {
    const bool is_answered = run_plan(call, *entry, *thread);
    if (turn.lap != nullptr) turn.lap->end(is_answered);
    if (is_answered) {
      counter.by_us.count();
      return {.vendor = {.is_answered = true}};
    }
    turn.lap = nullptr;
  }
  return {.vendor = start_vendor(*thread, counter, false, call.frame), .lap = turn.lap};
}

void Dispatcher::leave_gpu(const GpuTicket& ticket, bool has_succeeded) noexcept {
  if (ticket.lap != nullptr) ticket.lap->end(has_succeeded);
  leave(ticket.vendor);
  if (ticket.vendor.counter == nullptr || !watches_gpu_.load(std::memory_order_relaxed)) return;
  const uint64_t calls = ticket.vendor.counter->by_vendor.calls.load(std::memory_order_relaxed);
  if (calls >= kWorthTuningGpuCalls) slow_path_.on_gpu_worth_tuning();
}

}  // namespace triode::host
