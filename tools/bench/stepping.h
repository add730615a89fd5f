// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "core/status.h"
#include "tools/bench/call_trace.h"

namespace triode::bench {

// A thread that has let this process trace it (PTRACE_TRACEME) and stops itself by SIGSTOP before
// and after what is to be looked at. Its process ends with this one.
class SteppedThread {
 public:
  // Waits for its first stop. kUnavailable if it ends or stops otherwise.
  static Result<SteppedThread> await(pid_t thread);

  // The text of its process's /proc/PID/maps.
  std::string maps() const;

  // Executes one instruction after another up to its next stop and shows each to the trace, before.
  // A function that lies in `passed_over` is run at once: its first instruction alone is shown.
  Status step_to_next_stop(CallTrace& trace, std::span<const AddressRange> passed_over = {}) const;

  // Lets it go.
  void release() const;

 private:
  explicit SteppedThread(pid_t thread) : thread_(thread) {}
  Status run_until(std::uint64_t address) const;

  pid_t thread_;
};

}  // namespace triode::bench
