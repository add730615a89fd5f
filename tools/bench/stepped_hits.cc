// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/stepped_hits.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tools/bench/child_process.h"
#include "tools/bench/hit_calls_command.h"

namespace triode::bench {
namespace {

// Waits until the process stops by the signal. An error if it ends or stops otherwise.
Status wait_for_stop(pid_t process, int signal) {
  int how = 0;
  while (waitpid(process, &how, __WALL) < 0) {
    if (errno != EINTR) return unavailable("cannot wait for the traced process");
  }
  if (WIFSTOPPED(how) && WSTOPSIG(how) == signal) return {};
  return unavailable("the traced process did not stop where it should");
}

std::string read_maps(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

// From the stop before the first call to that after the last.
Status step_to_next_stop(pid_t process, CallTrace& trace) {
  while (true) {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, process, nullptr, &registers) != 0) {
      return unavailable("cannot read the registers of the traced process");
    }
    const long top = ptrace(PTRACE_PEEKDATA, process, registers.rsp, nullptr);
    trace.about_to_execute(registers.rip, static_cast<std::uint64_t>(top));
    if (ptrace(PTRACE_SINGLESTEP, process, nullptr, nullptr) != 0) {
      return unavailable("cannot step through the traced process");
    }
    int how = 0;
    if (waitpid(process, &how, __WALL) < 0) return unavailable("the traced process is gone");
    if (!WIFSTOPPED(how)) return unavailable("the traced process ended too early");
    if (WSTOPSIG(how) == SIGSTOP) return {};
    if (WSTOPSIG(how) != SIGTRAP) return unavailable("the traced process got another signal");
  }
}

}  // namespace

Result<std::vector<CallSteps>> step_through_hits(const std::string& library, int calls,
                                                 const std::string& folder) {
  const HitCalls what{.library = library, .calls = calls, .is_traced = true};
  ChildProcess child =
      TRIODE_TRY(ChildProcess::start(hit_calls_command(what), hit_calls_environment(folder)));
  const std::string line = child.read_line();
  const std::uint64_t entry = std::strtoull(line.c_str(), nullptr, 16);
  if (entry == 0) return unavailable("no call could be made: " + line);
  TRIODE_TRY(wait_for_stop(child.id(), SIGSTOP));
  ptrace(PTRACE_SETOPTIONS, child.id(), nullptr, PTRACE_O_EXITKILL);
  CallTrace trace(entry, generated_code(read_maps(child.id())));
  TRIODE_TRY(step_to_next_stop(child.id(), trace));
  for (const CallSteps& call : trace.calls()) {
    if (call.kernel == 0) return internal_error("a call was not answered by a kernel of Triode");
  }
  if (trace.calls().empty()) return internal_error("no call was seen");
  return trace.calls();
}

}  // namespace triode::bench
