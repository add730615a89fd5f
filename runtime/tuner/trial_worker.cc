// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_worker.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signal.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "runtime/tuner/connection.h"
#include "runtime/tuner/cpu_trial.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {
namespace {

// A sanitizer has mapped terabytes by now, of which it uses little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

constexpr std::chrono::hours kForEver(24 * 365);

// Ends this process with its parent, keeps it from filling disk and memory, and lets others go
// first. What the system refuses is done without.
void restrain(const TrialWorkerOptions& options) {
  const pid_t parent = getppid();
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // One byte: for a dump that is handed to a program, 0 would be no limit.
  const rlimit one_byte{1, 1};
  (void)setrlimit(RLIMIT_CORE, &one_byte);
  const rlimit memory{options.memory_bytes, RLIM_INFINITY};
  if (!kIsSanitized) (void)setrlimit(RLIMIT_DATA, &memory);
  (void)setpriority(PRIO_PROCESS, 0, options.niceness);
}

// A GPU's driver maps as much as the GPU has.
void lift_memory_limit() {
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  (void)setrlimit(RLIMIT_DATA, &none);
}

class TrialWorker {
 public:
  TrialWorker(FileDescriptor socket, const TrialWorkerOptions& options)
      : connection_(std::move(socket), kMostAnswerBytes), options_(options) {}

  int run() {
    for (;;) {
      const auto frame = connection_.receive_within(kForEver);
      if (!frame.ok()) return 0;
      if (!answer(*frame).ok() || !connection_.flush_within(kForEver).ok()) return 1;
    }
  }

 private:
  Status answer(const Frame& frame) {
    if (static_cast<MessageType>(frame.type) == BeginRequest::kType) {
      return connection_.send(to_frame(begin(TRIODE_TRY(from_frame<BeginRequest>(frame)))));
    }
    const auto request = TRIODE_TRY(from_frame<TrialRequest>(frame));
    return connection_.send(to_frame(try_config(request)));
  }

  BeginAnswer begin(const BeginRequest& request) {
    call_.reset();
    BeginAnswer answer;
    try {
      auto begun = begin_where_it_runs(request);
      if (begun.ok()) {
        call_ = std::move(begun).take();
        answer.vendor_ns = call_->vendor_ns();
      } else {
        answer.error = begun.status().message();
      }
    } catch (const std::bad_alloc&) {
      answer.error = "no memory for the operands";
    }
    return answer;
  }

  Result<std::unique_ptr<TrialSession>> begin_where_it_runs(const BeginRequest& request) {
    if (request.call.gpu_driver.empty()) {
      return begin_cpu_trial(request, options_.make_device, options_.seed);
    }
    if (!options_.begin_on_gpu) return unsupported("this tuner was built without GPUs");
    lift_memory_limit();
    return options_.begin_on_gpu(request);
  }

  TrialAnswer try_config(const TrialRequest& request) {
    TrialAnswer answer;
    answer.outcome = OutcomeKind::kLaunchFailed;
    answer.reason = "no call was begun";
    if (call_ == nullptr) return answer;
    try {
      return call_->answer(request);
    } catch (const std::bad_alloc&) {
      answer.outcome = OutcomeKind::kOutOfMemory;
      answer.reason = "the trial took more memory than a worker may";
      return answer;
    }
  }

  Connection connection_;
  const TrialWorkerOptions& options_;
  std::unique_ptr<TrialSession> call_;
};

}  // namespace

int run_trial_worker(FileDescriptor socket, const TrialWorkerOptions& options) {
  restrain(options);
  return TrialWorker(std::move(socket), options).run();
}

}  // namespace triode::tuner
