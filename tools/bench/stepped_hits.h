// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "tools/bench/call_trace.h"

namespace triode::bench {

// The instructions of `calls` calls that Triode answers, 8x8x8, counted one by one: another process
// makes the calls, and this one has it stop after every instruction. So the count is exact, and
// the part before the kernel is what was executed before the first instruction of generated code.
// Takes some microseconds an instruction. kUnavailable if the system does not let a process trace
// its child; kInternal if no kernel answered.
Result<std::vector<CallSteps>> step_through_hits(const std::string& library, int calls,
                                                 const std::string& folder);

}  // namespace triode::bench
