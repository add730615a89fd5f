// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"

namespace triode::bench {

// Counts one event of the processor or the kernel on the calling thread, in user code alone.
class EventCounter {
 public:
  // The numbers are those of perf_event_open(2). kUnsupported if the machine does not have it (most
  // virtual ones) or the system does not allow it.
  static Result<EventCounter> open(std::uint32_t type, std::uint64_t config);

  EventCounter(EventCounter&& other) noexcept;
  EventCounter& operator=(EventCounter&&) = delete;
  ~EventCounter();

  // Events while `work` ran. Empty if the counter was not on the processor for all of it.
  std::optional<double> count(const std::function<void()>& work) const;

 private:
  explicit EventCounter(int file) : file_(file) {}
  int file_;  // -1: moved from
};

// Misses per call, one value for each time it was counted; empty: cannot be counted here.
struct CacheMisses {
  std::vector<double> l1d;
  std::vector<double> llc;  // the last level
};

// The two counters, as far as there are any.
class CacheMissCounters {
 public:
  CacheMissCounters();

  // Why there are none, or one is missing; empty if all is there.
  const std::string& remark() const { return remark_; }

  // Of a call that finds its caches warm.
  CacheMisses count(const std::function<void()>& call) const;

 private:
  std::optional<EventCounter> l1d_;
  std::optional<EventCounter> llc_;
  std::string remark_;
};

}  // namespace triode::bench
