// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/host/plan_builder.h"

namespace triode::host {

// This process's PlanBuilder, made when first asked for: that reads files about the machine.
class PlanBuilders {
 public:
  PlanBuilders() = default;
  PlanBuilders(const PlanBuilders&) = delete;
  PlanBuilders& operator=(const PlanBuilders&) = delete;
  ~PlanBuilders() { delete builder_.load(std::memory_order_relaxed); }

  // Null, with one warning, on a processor that our kernels do not run on. Throws std::bad_alloc.
  const PlanBuilder* get();

  // In a forked child: the parent's may be locked by a thread that is not here.
  void forget() noexcept;

 private:
  std::atomic<const PlanBuilder*> builder_{nullptr};
  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
};

}  // namespace triode::host
