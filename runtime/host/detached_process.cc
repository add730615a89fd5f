// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace triode::host {
namespace {

constexpr std::array<std::string_view, 9> kKeptVariables = {
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "HOSTNAME"};
constexpr std::array<std::string_view, 2> kKeptPrefixes = {"TRIODE_", "XDG_"};

// A child that sends no signal when it ends and that wait() passes over, since it is not told to
// look for clones. Past fork(), and so past the handlers that the program's libraries registered.
pid_t fork_unseen() {
  return static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

// What the child needs, made ready before it exists: it may allocate nothing.
struct Start {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int report;  // end of a pipe that takes an errno; closed by a successful exec
};

[[noreturn]] void fail(const Start& start) {
  const int error = errno;
  [[maybe_unused]] const auto written = write(start.report, &error, sizeof error);
  _exit(1);
}

void reset_signals() {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// What the program was held to says nothing of another one: the cores that it was pinned to, and
// the limits that hold for each process by itself. What the system refuses stays as it is.
void reset_limits() {
  // More cores than a machine has: the system leaves those that it has and allows.
  std::array<unsigned long, 128> all_cores;
  all_cores.fill(~0UL);
  (void)syscall(SYS_sched_setaffinity, 0, sizeof all_cores, all_cores.data());
  for (const auto limited : {RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE}) {
    rlimit limit{};
    if (getrlimit(limited, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(limited, &limit);
  }
}

// The pipe becomes descriptor 3, and all above it go.
int keep_only(int report) {
  const int null = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(null, standard);
  if (report != 3) dup2(report, 3);
  fcntl(3, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, 4u, ~0u, 0u);
  return 3;
}

// In the first child: leaves the second to nobody, and ends.
[[noreturn]] void become_program(Start start) {
  if (setsid() < 0) fail(start);
  const pid_t second = fork_unseen();
  if (second < 0) fail(start);
  if (second > 0) _exit(0);
  reset_signals();
  reset_limits();
  start.report = keep_only(start.report);
  if (chdir("/") != 0) fail(start);
  execve(start.program, start.arguments, start.environment);
  fail(start);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Status explain(const std::string& program, int error) {
  const std::string text = "cannot start " + program + ": " + std::strerror(error);
  return error == ENOENT ? not_found(text) : unavailable(text);
}

bool is_kept(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  const auto begins_name = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::find(kKeptVariables.begin(), kKeptVariables.end(), name) != kKeptVariables.end() ||
         std::any_of(kKeptPrefixes.begin(), kKeptPrefixes.end(), begins_name);
}

}  // namespace

Status spawn_detached(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(environment);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return explain(program, errno);
  const Start start{program.c_str(), argv.data(), envp.data(), pipe_ends[1]};
  const pid_t first = fork_unseen();
  if (first == 0) become_program(start);
  const int fork_error = errno;
  close(pipe_ends[1]);
  int error = first < 0 ? fork_error : 0;
  if (first > 0) {
    while (waitpid(first, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
    while (read(pipe_ends[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
  }
  close(pipe_ends[0]);
  return error == 0 ? Status() : explain(program, error);
}

std::vector<std::string> scrubbed_environment() {
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (is_kept(*variable)) kept.emplace_back(*variable);
  }
  return kept;
}

}  // namespace triode::host
