// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/lazy_cpu_plan_maker.h"

#include <new>
#include <utility>

#include "runtime/host/warning.h"

namespace triode::host {

const CpuPlanMaker* LazyCpuPlanMaker::get() {
  if (const CpuPlanMaker* const made = maker_.load(std::memory_order_acquire)) return made;
  if (has_failed_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const CpuPlanMaker* const made = maker_.load(std::memory_order_acquire)) return made;
  auto created = CpuPlanMaker::create();
  if (!created.ok()) {
    has_failed_.store(true, std::memory_order_relaxed);
    warn_once("no kernels of its own on this machine: " + created.status().message());
    return nullptr;
  }
  const CpuPlanMaker* const made = std::move(created).take().release();
  maker_.store(made, std::memory_order_release);
  return made;
}

void LazyCpuPlanMaker::forget() noexcept {
  new (&mutex_) std::mutex;
  maker_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace triode::host
