// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/host/cpu_plan_maker.h"

namespace triode::host {

// This process's CpuPlanMaker, made when first asked for: that reads files about the machine.
class LazyCpuPlanMaker {
 public:
  LazyCpuPlanMaker() = default;
  LazyCpuPlanMaker(const LazyCpuPlanMaker&) = delete;
  LazyCpuPlanMaker& operator=(const LazyCpuPlanMaker&) = delete;
  ~LazyCpuPlanMaker() { delete maker_.load(std::memory_order_relaxed); }

  // Null, with one warning, on a processor that our kernels do not run on. Throws std::bad_alloc.
  const CpuPlanMaker* get();

  // In a forked child: the parent's may be locked by a thread that is not here.
  void forget() noexcept;

 private:
  std::atomic<const CpuPlanMaker*> maker_{nullptr};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
};

}  // namespace triode::host
