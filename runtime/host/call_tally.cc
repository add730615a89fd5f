// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/call_tally.h"

#include <atomic>

#include "runtime/host/thread_record.h"

namespace triode::host {
namespace {

uint64_t read(const std::atomic<uint64_t>& value) {
  return value.load(std::memory_order_relaxed);
}

void add(const CallCounter::Side& side, double nanoseconds_per_tick, SideTally& sum) {
  sum.calls += read(side.calls);
  sum.timed += read(side.timed);
  sum.timed_ns += static_cast<double>(read(side.ticks)) * nanoseconds_per_tick;
}

}  // namespace

EntryTally tally_entry(size_t index, double nanoseconds_per_tick) {
  EntryTally sum;
  for (const ThreadRecord* record = first_thread_record(); record != nullptr;
       record = record->next) {
    add(record->counters[index].by_vendor, nanoseconds_per_tick, sum.by_vendor);
    add(record->counters[index].by_us, nanoseconds_per_tick, sum.by_us);
  }
  return sum;
}

OtherTally tally_others() {
  OtherTally sum;
  for (const ThreadRecord* record = first_thread_record(); record != nullptr;
       record = record->next) {
    sum.empty += read(record->others.empty);
    sum.invalid += read(record->others.invalid);
    sum.nested += read(record->others.nested);
    sum.unlisted += read(record->others.unlisted);
    sum.uneven_batches += read(record->others.uneven_batches);
  }
  return sum;
}

}  // namespace triode::host
