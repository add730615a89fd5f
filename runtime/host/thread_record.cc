// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/thread_record.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>
#include <span>

namespace triode::host {

constinit thread_local ThreadRecord* this_thread_record = nullptr;

namespace {

constinit std::atomic<ThreadRecord*> all_records{nullptr};

void release_record(void* record) {
  this_thread_record = nullptr;
  static_cast<ThreadRecord*>(record)->busy_with.store(nullptr, std::memory_order_release);
  static_cast<ThreadRecord*>(record)->has_thread.store(false, std::memory_order_release);
}

// Runs release_record when a thread ends that has a record.
pthread_key_t exit_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, release_record);
    return made;
  }();
  return key;
}

ThreadRecord* take_over_record() {
  for (ThreadRecord* record = first_thread_record(); record != nullptr; record = record->next) {
    bool has_thread = false;
    if (record->has_thread.compare_exchange_strong(has_thread, true, std::memory_order_acq_rel)) {
      return record;
    }
  }
  return nullptr;
}

// Mapped, not from the heap: the pages of counters that are never touched then cost nothing.
ThreadRecord* make_record() {
  void* const memory = mmap(nullptr, sizeof(ThreadRecord), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Zeroed pages are the initial values of all members but has_thread; a constructor would touch
  // every page.
  auto* const record = static_cast<ThreadRecord*>(memory);
  new (&record->has_thread) std::atomic<bool>(true);
  record->next = all_records.load(std::memory_order_relaxed);
  while (!all_records.compare_exchange_weak(record->next, record, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
  return record;
}

void forget_counts(ThreadRecord& record, size_t entries) {
  const auto clear = [](auto&... counts) { (counts.store(0, std::memory_order_relaxed), ...); };
  for (CallCounter& counter : std::span(record.counters).first(entries)) {
    for (CallCounter::Side* side : {&counter.by_vendor, &counter.by_us}) {
      if (side->calls.load(std::memory_order_relaxed) == 0) continue;
      clear(side->calls, side->timed, side->ticks, side->outliers, side->shadow_turn);
    }
  }
  clear(record.others.empty, record.others.invalid, record.others.nested, record.others.unlisted,
        record.others.uneven_batches);
}

}  // namespace

void CallCounter::Side::time(uint64_t duration) noexcept {
  // Operands that come from memory instead of the nearest cache make a call ten times as long; a
  // turn of another program's, a millisecond, makes most a hundred times as long.
  constexpr uint64_t kMuch = 16;
  constexpr uint64_t kManyOneIn = 8;
  const uint64_t known = timed.load(std::memory_order_relaxed);
  const uint64_t mean = known == 0 ? duration : ticks.load(std::memory_order_relaxed) / known;
  if (duration > kMuch * mean) {
    add_as_only_writer(outliers, 1);
    if (uint64_t{outliers.load(std::memory_order_relaxed)} * kManyOneIn <= known) return;
  }
  if (mean > kMuch * duration) {
    timed.store(0, std::memory_order_relaxed);
    ticks.store(0, std::memory_order_relaxed);
  }
  add_as_only_writer(timed, 1);
  add_as_only_writer(ticks, duration);
}

ThreadRecord* adopt_thread_record() noexcept {
  ThreadRecord* record = take_over_record();
  if (record == nullptr) record = make_record();
  if (record == nullptr) return nullptr;
  pthread_setspecific(exit_key(), record);
  this_thread_record = record;
  return record;
}

ThreadRecord* first_thread_record() noexcept {
  return all_records.load(std::memory_order_acquire);
}

void forget_other_threads(size_t entries) noexcept {
  for (ThreadRecord* record = first_thread_record(); record != nullptr; record = record->next) {
    forget_counts(*record, entries);
    if (record == this_thread_record) continue;
    record->busy_with.store(nullptr, std::memory_order_relaxed);
    record->has_thread.store(false, std::memory_order_relaxed);
  }
}

}  // namespace triode::host
