// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace triode::bench {

// Whether a thread of this process other than the caller runs, or waits for a core. Asks the state
// of each: the CPU time of the process does not tell, since the kernel brings that of a thread on
// another core up to date at its next clock tick only, milliseconds later. False without /proc.
bool other_threads_run();

// Whether the line of /proc/PID/task/TID/stat is that of a thread that runs or waits for a core.
// The name in it may hold anything.
bool says_running(std::string_view stat);

}  // namespace triode::bench
