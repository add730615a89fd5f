// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_builders.h"

#include <new>
#include <utility>

#include "runtime/host/warning.h"

namespace triode::host {

const PlanBuilder* PlanBuilders::get() {
  if (const PlanBuilder* const made = builder_.load(std::memory_order_acquire)) return made;
  if (has_failed_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const PlanBuilder* const made = builder_.load(std::memory_order_acquire)) return made;
  auto created = PlanBuilder::create();
  if (!created.ok()) {
    has_failed_.store(true, std::memory_order_relaxed);
    warn_once("no kernels of its own on this machine: " + created.status().message());
    return nullptr;
  }
  const PlanBuilder* const made = std::move(created).take().release();
  builder_.store(made, std::memory_order_release);
  return made;
}

void PlanBuilders::forget() noexcept {
  new (&mutex_) std::mutex;
  builder_.store(nullptr, std::memory_order_relaxed);
}

}  // namespace triode::host
