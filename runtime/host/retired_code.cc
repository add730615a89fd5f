// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/retired_code.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/host/thread_record.h"

namespace triode::host {
namespace {

// A fence on every running thread of this process; false if the kernel cannot.
bool fence_all_threads() {
  static const bool is_registered =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return is_registered && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

std::vector<const void*> in_use() {
  std::vector<const void*> busy;
  for (const ThreadRecord* record = first_thread_record(); record != nullptr;
       record = record->next) {
    busy.push_back(record->busy_with.load(std::memory_order_acquire));
  }
  return busy;
}

}  // namespace

void RetiredCode::free_unused() {
  if (waiting_.empty() || !fence_all_threads()) return;
  const std::vector<const void*> busy = in_use();
  std::erase_if(waiting_, [&](const auto& executable) {
    return std::find(busy.begin(), busy.end(), executable.get()) == busy.end();
  });
}

}  // namespace triode::host
