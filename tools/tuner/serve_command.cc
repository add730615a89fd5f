// SPDX-License-Identifier: Apache-2.0
#include "tools/tuner/serve_command.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/host/file_descriptor.h"
#include "runtime/host/file_lock.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/trial_worker.h"
#include "tools/tuner/cpu_machine.h"
#include "tools/tuner/gpu_machine.h"
#include "tools/tuner/tuner_service.h"

namespace triode::tuner {
namespace {

constexpr int kWorkerSocket = 3;

// A descriptor that becomes readable when the process is told to end. Before any thread starts.
FileDescriptor watch_for_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return FileDescriptor(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
}

// Each program takes a descriptor, and the usual soft limit is for programs that use select().
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);  // what the system refuses is done without
}

// Where the system shares the cores among sessions, niceness counts within one alone, and this is
// the session's. Only where it holds nobody but the tuner: not in a shell's.
void yield_to_other_sessions() {
  const pid_t session = getsid(0);
  const bool is_own = session == getpid() || (::kill(session, 0) != 0 && errno == ESRCH);
  if (is_own) std::ofstream("/proc/self/autogroup") << kNiceness;  // or it is done without
}

}  // namespace

Status serve(const TunerOptions& options) {
  MeetingPlace place = TRIODE_TRY(find_meeting_place(options.cache));
  std::optional<FileLock> lock = TRIODE_TRY(claim_cache(place));
  if (!lock) return {};  // another tuner is there, or on its way
  allow_many_descriptors();
  yield_to_programs();
  yield_to_other_sessions();
  const FileDescriptor stop_signal = watch_for_signals();
  const std::unique_ptr<TunerService> service = TRIODE_TRY(TunerService::open(
      std::move(place), std::move(*lock),
      {.tuner = options, .worker_program = std::filesystem::read_symlink("/proc/self/exe")}));
  return service->serve(stop_signal.number());
}

int work() {
  TrialWorkerOptions options;
  options.make_device = make_cpu_device;
  options.begin_on_gpu = gpu_trials(options.seed);
  return run_trial_worker(FileDescriptor(kWorkerSocket), options);
}

}  // namespace triode::tuner
