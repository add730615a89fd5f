// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/cpu_time.h"

#include <sys/resource.h>
#include <time.h>

namespace triode::tuner {
namespace {

using std::chrono::nanoseconds;

nanoseconds to_duration(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

nanoseconds used_by(int whom) {
  rusage usage{};
  (void)getrusage(whom, &usage);  // fails for no `whom` that there is
  return to_duration(usage.ru_utime) + to_duration(usage.ru_stime);
}

// Zero for one that has ended.
nanoseconds used_by_process(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + nanoseconds(used.tv_nsec);
}

}  // namespace

nanoseconds cpu_time_with(pid_t child) {
  const nanoseconds own = used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
  return child == 0 ? own : own + used_by_process(child);
}

nanoseconds thread_cpu_time_with(pid_t child) {
  const nanoseconds own = used_by(RUSAGE_THREAD);
  return child == 0 ? own : own + used_by_process(child);
}

}  // namespace triode::tuner
