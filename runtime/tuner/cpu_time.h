// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>

namespace triode::tuner {

// What this process, its children that were waited for and `child`, which runs still (0: none),
// have had of the cores so far. Any thread; a microsecond.
std::chrono::nanoseconds cpu_time_with(pid_t child);

// What the calling thread and `child` have had, for a tuner in a program that has other threads and
// children.
std::chrono::nanoseconds thread_cpu_time_with(pid_t child);

}  // namespace triode::tuner
