// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_misses.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace triode::bench {
namespace {

// A miss of a call in a thousand shows; an interrupt's misses, some hundred, are a few hundredths.
constexpr int kCallsCounted = 10'000;
constexpr int kTimesCounted = 7;

constexpr std::uint64_t kL1dReadMisses = PERF_COUNT_HW_CACHE_L1D |
                                         PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                         PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

// As PERF_FORMAT_TOTAL_TIME_* lay it out. All three only grow.
struct Reading {
  std::uint64_t events, enabled_ns, running_ns;
};

std::vector<double> misses_per_call(const std::optional<EventCounter>& counter,
                                    const std::function<void()>& call) {
  std::vector<double> misses;
  if (!counter) return misses;
  const auto work = [&call] {
    for (int i = 0; i < kCallsCounted; ++i) call();
  };
  for (int i = 0; i < kTimesCounted; ++i) {
    if (const std::optional<double> count = counter->count(work)) {
      misses.push_back(*count / kCallsCounted);
    }
  }
  return misses;
}

}  // namespace

Result<EventCounter> EventCounter::open(std::uint32_t type, std::uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.disabled = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file >= 0) return EventCounter(static_cast<int>(file));
  return unsupported(std::string("perf_event_open: ") + std::strerror(errno));
}

EventCounter::EventCounter(EventCounter&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

EventCounter::~EventCounter() {
  if (file_ >= 0) close(file_);
}

std::optional<double> EventCounter::count(const std::function<void()>& work) const {
  Reading before{};
  Reading after{};
  const bool began = read(file_, &before, sizeof before) == sizeof before;
  ioctl(file_, PERF_EVENT_IOC_ENABLE, 0);
  work();
  ioctl(file_, PERF_EVENT_IOC_DISABLE, 0);
  const bool ended = read(file_, &after, sizeof after) == sizeof after;
  const std::uint64_t enabled_ns = after.enabled_ns - before.enabled_ns;
  const std::uint64_t running_ns = after.running_ns - before.running_ns;
  if (!began || !ended || running_ns < enabled_ns) return std::nullopt;
  return static_cast<double>(after.events - before.events);
}

CacheMissCounters::CacheMissCounters() {
  const auto open_or_remark = [this](const char* name, std::uint32_t type, std::uint64_t config,
                                     std::optional<EventCounter>& counter) {
    Result<EventCounter> opened = EventCounter::open(type, config);
    if (opened.ok()) {
      counter.emplace(std::move(opened).take());
    } else {
      remark_ += (remark_.empty() ? "" : "; ") + std::string(name) +
                 " misses are not counted: " + opened.status().message();
    }
  };
  open_or_remark("L1d", PERF_TYPE_HW_CACHE, kL1dReadMisses, l1d_);
  open_or_remark("LLC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, llc_);
}

CacheMisses CacheMissCounters::count(const std::function<void()>& call) const {
  call();
  return {misses_per_call(l1d_, call), misses_per_call(llc_, call)};
}

}  // namespace triode::bench
