// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace triode::host {

// Calls of one entry on all threads, answered by the vendor or by us.
struct SideTally {
  uint64_t calls = 0;
  uint64_t timed = 0;
  double timed_ns = 0;

  double mean_ns() const { return timed == 0 ? 0 : timed_ns / static_cast<double>(timed); }
  // Of all calls, as far as the timed ones are like the others.
  double total_ns() const { return mean_ns() * static_cast<double>(calls); }
};

struct EntryTally {
  SideTally by_vendor;
  SideTally by_us;
};

// Calls that no entry counts (see OtherCalls).
struct OtherTally {
  uint64_t empty = 0;
  uint64_t invalid = 0;
  uint64_t nested = 0;
  uint64_t unlisted = 0;
  uint64_t uneven_batches = 0;
};

// Sums over all threads there are and were. Calls under way are not in them yet.
EntryTally tally_entry(size_t index, double nanoseconds_per_tick);
OtherTally tally_others();

}  // namespace triode::host
