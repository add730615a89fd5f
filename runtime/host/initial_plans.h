// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/host/executable.h"
#include "runtime/host/plan_table.h"

namespace triode::host {

// Where a plan comes from that an entry has from its first call on. Any thread; may take long.
class InitialPlans {
 public:
  virtual ~InitialPlans() = default;

  // Null: the vendor answers. What is returned lives until the process ends. Throws std::bad_alloc.
  virtual const Executable* plan_for(const PlanEntry& entry) = 0;
};

// None at all.
class NoInitialPlans final : public InitialPlans {
 public:
  const Executable* plan_for(const PlanEntry&) override { return nullptr; }
};

}  // namespace triode::host
