// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/host/lazy_cpu_plan_maker.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Calls of a symbol that no library in the process defines, so that nobody else can answer: a
// kernel of ours does, or plain loops where none can be made. Any thread.
class LoneCalls {
 public:
  LoneCalls(PlanTable& table, LazyCpuPlanMaker& cpu_maker) : table_(table), cpu_maker_(cpu_maker) {}

  // A call that makes no sense is refused with a warning, as a BLAS does; c stays as it is. If it
  // `counts`, it is counted and timed as one that we answered.
  void answer(const RawCall& call, bool counts) noexcept;

  // The entry of a call, with its kernel if one can be made. Null: there is nothing to multiply, or
  // the table is full.
  PlanEntry* prepare(const RawCall& call) noexcept;

 private:
  PlanEntry* find_or_add(const RawCall& call) noexcept;
  void build_kernel(PlanEntry& entry);

  PlanTable& table_;
  LazyCpuPlanMaker& cpu_maker_;
};

// The same by plain loops alone.
void answer_plainly(const RawCall& call) noexcept;

}  // namespace triode::host
