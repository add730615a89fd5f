// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/touch_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace triode::host {
namespace {

constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers do not have

}  // namespace

void touch_ahead(void* memory, size_t bytes) noexcept {
  const int before = errno;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = begin / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the start of the page that it lies in
  (void)madvise(reinterpret_cast<void*>(first), begin + bytes - first, kPopulateWrite);
  errno = before;
}

}  // namespace triode::host
