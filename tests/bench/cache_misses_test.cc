// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cache_misses.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

namespace triode::bench {
namespace {

// Page faults are the kernel's own count, so that a virtual machine has them too.
Result<EventCounter> page_faults() {
  return EventCounter::open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

void touch_new_pages(int pages) {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = kPage * static_cast<std::size_t>(pages);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += kPage) static_cast<volatile char*>(memory)[i] = 1;
  munmap(memory, bytes);
}

TEST(EventCounter, CountsWhatHappensMeanwhileAndNothingElse) {
  const auto counter = page_faults();
  if (!counter.ok()) GTEST_SKIP() << counter.status().message();
  touch_new_pages(100);
  const auto first = counter->count([] { touch_new_pages(20); });
  const auto second = counter->count([] { touch_new_pages(10); });
  ASSERT_TRUE(first && second);
  EXPECT_GE(*first, 20);
  EXPECT_LT(*first, 30);
  EXPECT_GE(*second, 10);
  EXPECT_LT(*second, 20);
}

TEST(EventCounter, IsUnsupportedWhereTheMachineHasNoSuchEvent) {
  const auto counter = EventCounter::open(PERF_TYPE_HARDWARE, 999);
  ASSERT_FALSE(counter.ok());
  EXPECT_EQ(counter.status().code(), StatusCode::kUnsupported);
}

TEST(CacheMissCounters, CountOrSayWhyNot) {
  const CacheMissCounters counters;
  const CacheMisses misses = counters.count([] {});
  const bool counts_both = !misses.l1d.empty() && !misses.llc.empty();
  EXPECT_TRUE(counts_both || !counters.remark().empty());
}

}  // namespace
}  // namespace triode::bench
