// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace triode {

// A fault that ended a piece of code early.
struct Fault {
  int signal = 0;  // SIGSEGV, SIGBUS, SIGILL or SIGFPE
  uintptr_t address =
      0;  // of the memory touched; 0 for a misaligned vector access and a wild pointer

  std::string to_string() const;
};

// Runs `body`, and gives back the fault if it met one, where the process would have ended
// otherwise: so that a test can name the case and go on. A body that faults is left as it stands:
// destructors between the fault and here do not run. One call at a time in a process, for it sets
// the signal handlers.
std::optional<Fault> trap_fault(const std::function<void()>& body);

}  // namespace triode
