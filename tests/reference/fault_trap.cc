// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/fault_trap.h"

#include <setjmp.h>
#include <signal.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace triode {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

sigjmp_buf trap_exit;
Fault caught;

void leave_body(int signal, siginfo_t* details, void*) {
  caught = {signal, reinterpret_cast<uintptr_t>(details->si_addr)};
  siglongjmp(trap_exit, 1);
}

// Sets the handlers for as long as it lives.
class Handlers {
 public:
  Handlers() {
    struct sigaction action;
    std::memset(&action, 0, sizeof action);
    action.sa_sigaction = leave_body;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Handlers() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  std::array<struct sigaction, kSignals.size()> before_;
};

// Alone in its frame: a local that changes between sigsetjmp and the jump would be lost.
bool runs_without_fault(const std::function<void()>& body) {
  if (sigsetjmp(trap_exit, 1) != 0) return false;
  body();
  return true;
}

}  // namespace

std::string Fault::to_string() const {
  char text[96];
  std::snprintf(text, sizeof text, "%s at address 0x%llx", strsignal(signal),
                static_cast<unsigned long long>(address));
  return text;
}

std::optional<Fault> trap_fault(const std::function<void()>& body) {
  const Handlers handlers;
  if (runs_without_fault(body)) return std::nullopt;
  return caught;
}

}  // namespace triode
