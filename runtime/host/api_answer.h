// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "runtime/host/call_sites.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Answers a call of the C interface as the interceptor of its symbol would.
void answer_call(RawCall& call, const CallSite& site);

// The same with the entry of the latest call of that shape: see Dispatcher::enter.
void answer_call(RawCall& call, const CallSite& site, std::atomic<PlanEntry*>& known);

}  // namespace triode::host
