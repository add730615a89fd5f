// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/stepping.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace triode::bench {
namespace {

constexpr long kBreakpoint = 0xCC;  // int3, one byte

Result<int> wait_for_signal(pid_t thread) {
  int how = 0;
  while (waitpid(thread, &how, __WALL) < 0) {
    if (errno != EINTR) return unavailable("the traced process is gone");
  }
  if (!WIFSTOPPED(how)) return unavailable("the traced process ended too early");
  return WSTOPSIG(how);
}

Status wait_for(pid_t thread, int signal) {
  const int stopped_by = TRIODE_TRY(wait_for_signal(thread));
  if (stopped_by == signal) return {};
  return unavailable("the traced process did not stop where it should");
}

Result<user_regs_struct> registers_of(pid_t thread) {
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) == 0) return registers;
  return unavailable("cannot read the registers of the traced process");
}

bool is_in(std::span<const AddressRange> ranges, std::uint64_t address) {
  return std::any_of(ranges.begin(), ranges.end(), [address](const AddressRange& range) {
    return range.begin <= address && address < range.end;
  });
}

}  // namespace

Result<SteppedThread> SteppedThread::await(pid_t thread) {
  TRIODE_TRY(wait_for(thread, SIGSTOP));
  ptrace(PTRACE_SETOPTIONS, thread, nullptr, PTRACE_O_EXITKILL);
  return SteppedThread(thread);
}

std::string SteppedThread::maps() const {
  std::ifstream file("/proc/" + std::to_string(thread_) + "/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

Status SteppedThread::step_to_next_stop(CallTrace& trace,
                                        std::span<const AddressRange> passed_over) const {
  while (true) {
    const user_regs_struct registers = TRIODE_TRY(registers_of(thread_));
    const long top = ptrace(PTRACE_PEEKDATA, thread_, registers.rsp, nullptr);
    trace.about_to_execute(registers.rip, static_cast<std::uint64_t>(top));
    if (is_in(passed_over, registers.rip)) {
      TRIODE_TRY(run_until(static_cast<std::uint64_t>(top)));
      continue;
    }
    if (ptrace(PTRACE_SINGLESTEP, thread_, nullptr, nullptr) != 0) {
      return unavailable("cannot step through the traced process");
    }
    const int signal = TRIODE_TRY(wait_for_signal(thread_));
    if (signal == SIGSTOP) return {};
    if (signal != SIGTRAP) return unavailable("the traced process got another signal");
  }
}

// The address is one that no other thread comes to.
Status SteppedThread::run_until(std::uint64_t address) const {
  errno = 0;
  const long code = ptrace(PTRACE_PEEKTEXT, thread_, address, nullptr);
  if (errno != 0) return unavailable("cannot read the code of the traced process");
  const auto write = [&](long word) { ptrace(PTRACE_POKETEXT, thread_, address, word); };
  write((code & ~0xFFL) | kBreakpoint);
  ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
  TRIODE_TRY(wait_for(thread_, SIGTRAP));
  write(code);
  user_regs_struct registers = TRIODE_TRY(registers_of(thread_));
  if (registers.rip != address + 1) return unavailable("the traced process went elsewhere");
  registers.rip = address;
  ptrace(PTRACE_SETREGS, thread_, nullptr, &registers);
  return {};
}

void SteppedThread::release() const {
  ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
}

}  // namespace triode::bench
