// SPDX-License-Identifier: Apache-2.0
// A call that comes again from the same place, from its arguments to the kernel: the shortest ways
// through the Dispatcher, compiled into each entry point (interceptors.cc, api_gemm.cc,
// api_plan.cc).
//
//   1. guess()            the entry that this call site hit last, if the arguments are its own
//   2. answer_repeated()  alignment, scalars and overlap allow its kernel
//   3. run_kernel()       counts the call, marks the kernel as busy, and runs it
//
// Whatever is otherwise goes through Dispatcher::enter(), which looks the entry up in the table.
// Counted in instructions: docs/adr/0005-a-hit-in-a-hundred-instructions.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/host/call_checks.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/executable.h"

namespace triode::host {

// One return for each thing that may be otherwise: so compiled, the arguments stay where they came.
template <typename Int>
[[gnu::always_inline]] inline PlanEntry* Dispatcher::guess(const CallSite& site,
                                                           const CallSizes<Int>& sizes,
                                                           const Spelling& spelling,
                                                           uintptr_t pointer_bits) const noexcept {
  PlanEntry* const entry = site.guess.load(std::memory_order_acquire);
  // The symbol and the vendor are the site's, so they are the entry's; and so its sizes are no
  // wider than this symbol's.
  if (entry == nullptr || !sizes.are_those_of(entry->key)) return nullptr;
  if (entry->spelling.layout != spelling.layout) return nullptr;
  if (entry->spelling.transpose_a != spelling.transpose_a) return nullptr;
  if (entry->spelling.transpose_b != spelling.transpose_b) return nullptr;
  if (entry->threads != *site.thread_count) return nullptr;
  return entry->is_aligned == is_aligned(pointer_bits) ? entry : nullptr;
}

template <typename Scalar, typename Int>
[[gnu::always_inline]] inline bool Dispatcher::answer_repeated(
    const CallSite& site, const CallSizes<Int>& sizes, const Spelling& spelling, const Scalar* a,
    const Scalar* b, Scalar* c, Scalar alpha, Scalar beta) const noexcept {
  const uintptr_t bits = CallChecks::pointer_bits(a, b, c);
  PlanEntry* const entry = guess(site, sizes, spelling, bits);
  if (entry == nullptr || entry->checks.is_misaligned(bits)) return false;
  if (!entry->checks.are_built_in(alpha, beta) || entry->checks.overlap(a, b, c)) return false;
  ThreadRecord* const thread = this_thread_record;
  return thread != nullptr && run_kernel(*entry, *thread, a, b, c);
}

template <typename Scalar>
[[gnu::always_inline]] inline bool Dispatcher::answer_known(const CallSite& site,
                                                            const PlanEntry& entry, const Scalar* a,
                                                            const Scalar* b, Scalar* c,
                                                            Scalar alpha,
                                                            Scalar beta) const noexcept {
  const uintptr_t bits = CallChecks::pointer_bits(a, b, c);
  if (call_traits::vendor(entry.key.traits) != call_traits::vendor(site.traits)) return false;
  if (entry.threads != *site.thread_count || entry.is_aligned != is_aligned(bits)) return false;
  if (entry.checks.is_misaligned(bits) || !entry.checks.are_built_in(alpha, beta)) return false;
  ThreadRecord* const thread = this_thread_record;
  return thread != nullptr && !entry.checks.overlap(a, b, c) && run_kernel(entry, *thread, a, b, c);
}

[[gnu::always_inline]] inline bool Dispatcher::run_kernel(const PlanEntry& entry,
                                                          ThreadRecord& thread, const void* a,
                                                          const void* b, void* c) noexcept {
  if (thread.busy_with.load(std::memory_order_relaxed) != nullptr) return false;
  CallCounter::Side& side = thread.counter_of(entry).by_us;
  if (is_turn_for_timing(side)) return false;
  const Executable* const executable = entry.executable.load(std::memory_order_acquire);
  if (executable == nullptr) return false;
  thread.busy_with.store(executable, std::memory_order_relaxed);
  // The second look must come after the store: for the compiler by this, for the processor by the
  // fence of whoever frees code (RetiredCode).
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool is_answered = entry.executable.load(std::memory_order_acquire) == executable &&
                           executable->run_one_kernel(a, b, c, entry.operands_exchanged);
  if (is_answered) side.count();
  thread.busy_with.store(nullptr, std::memory_order_release);
  return is_answered;
}

template <typename Scalar, typename Int>
[[gnu::always_inline]] inline VendorTicket Dispatcher::enter_repeated(
    const CallSite& site, const CallSizes<Int>& sizes, const Spelling& spelling, const Scalar* a,
    const Scalar* b, const Scalar* c, Scalar alpha, Scalar beta, const void* frame) const noexcept {
  PlanEntry* const entry = guess(site, sizes, spelling, CallChecks::pointer_bits(a, b, c));
  if (entry == nullptr || entry->executable.load(std::memory_order_relaxed) != nullptr) return {};
  if (entry->scalars != call_traits::of_scalars(alpha, beta)) return {};
  ThreadRecord* const thread = this_thread_record;
  if (thread == nullptr || thread->busy_with.load(std::memory_order_relaxed) != nullptr) return {};
  CallCounter& counter = thread->counter_of(*entry);
  return start_vendor(*thread, counter, is_timed(*entry, counter.by_vendor), frame);
}

}  // namespace triode::host
