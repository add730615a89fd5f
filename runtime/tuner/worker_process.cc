// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/worker_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "runtime/host/detached_process.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;

constexpr int kWorkerSocket = 3;

// The settings by which BLAS libraries are limited to a number of threads, read when they are
// loaded.
constexpr const char* kThreadVariables[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                                            "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                                            "VECLIB_MAXIMUM_THREADS"};

std::vector<std::string> worker_environment(int threads) {
  std::vector<std::string> environment = host::scrubbed_environment();
  for (const char* const name : kThreadVariables) {
    environment.push_back(std::string(name) + '=' + std::to_string(threads));
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0, or an errno.
int spawn(const std::string& program, std::vector<std::string>& arguments,
          std::vector<std::string>& environment, int socket, pid_t& process) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int standard : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&files, standard, "/dev/null", 2 /* O_RDWR */, 0);
  }
  posix_spawn_file_actions_adddup2(&files, socket, kWorkerSocket);
  posix_spawn_file_actions_addclosefrom_np(&files, kWorkerSocket + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawn(&process, program.c_str(), &files, &attributes,
                                pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// Empty while it runs, where `options` say not to wait.
std::optional<WorkerProcess::End> wait_for(int handle, int options) {
  siginfo_t ended{};
  while (waitid(P_PIDFD, static_cast<id_t>(handle), &ended, WEXITED | options) != 0) {
    if (errno != EINTR) return WorkerProcess::End{.is_known = false};
  }
  if (ended.si_pid == 0) return std::nullopt;
  if (ended.si_code == CLD_EXITED) return WorkerProcess::End{.code = ended.si_status};
  return WorkerProcess::End{.signal = ended.si_status};
}

}  // namespace

Outcome WorkerProcess::End::outcome() const {
  if (!is_known) return {OutcomeKind::kCrashed, "the worker ended; the program knows how"};
  if (signal != 0) {
    // Nobody else sends it: the system, out of memory.
    const bool is_memory = signal == SIGKILL;
    return {is_memory ? OutcomeKind::kOutOfMemory : OutcomeKind::kCrashed,
            std::string("the worker was ended by SIG") + sigabbrev_np(signal)};
  }
  return {OutcomeKind::kCrashed, "the worker ended with code " + std::to_string(code)};
}

Result<WorkerProcess> WorkerProcess::start(const std::string& program,
                                           std::vector<std::string> arguments, int threads,
                                           int socket) {
  std::vector<std::string> environment = worker_environment(threads);
  pid_t process = 0;
  int error = spawn(program, arguments, environment, socket, process);
  FileDescriptor handle(error == 0 ? static_cast<int>(syscall(SYS_pidfd_open, process, 0)) : -1);
  if (error == 0 && !handle.is_open()) {
    error = errno;
    (void)::kill(process, SIGKILL);
    (void)waitpid(process, nullptr, 0);
  }
  if (error != 0) return unavailable("cannot start " + program + ": " + std::strerror(error));
  return WorkerProcess(process, std::move(handle));
}

std::optional<WorkerProcess::End> WorkerProcess::await_end(milliseconds patience) const {
  const auto last = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (const auto end = wait_for(handle_.number(), WNOHANG)) return end;
    if (std::chrono::steady_clock::now() >= last) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

WorkerProcess::End WorkerProcess::kill() const {
  (void)syscall(SYS_pidfd_send_signal, handle_.number(), SIGKILL, nullptr, 0);  // it may have ended
  return wait_for(handle_.number(), 0).value_or(End{.is_known = false});
}

}  // namespace triode::tuner
