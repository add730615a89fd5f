// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/trial_worker.h"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "runtime/host/loaded_object.h"
#include "runtime/host/vendor.h"
#include "runtime/search/problem_operands.h"
#include "runtime/tuner/connection.h"
#include "runtime/tuner/guarded_operands.h"
#include "runtime/tuner/vendor_call.h"
#include "runtime/tuner/worker_messages.h"

namespace triode::tuner {
namespace {

using std::chrono::nanoseconds;

// More memory for operands would not fit beside a program's; calls of larger problems take seconds.
constexpr double kMostOperandBytes = double{1 << 30};
// Problems up to here are checked on all contents; larger ones, whose every call takes long and
// whose operands are kept several times, on the exact ones alone.
constexpr double kMostCheckedFully = double{64 << 20};

// Quick timing: long against the clock's grain, short enough for hundreds of configs a second.
constexpr double kQuickSampleNs = 150e3;
constexpr size_t kQuickSamples = 3;
constexpr double kHopeless =
    1.3;  // over the best so far, after which a config is not sampled again

// A sanitizer has mapped terabytes by now, of which it uses little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

constexpr int kLeastRaceRounds = 15;
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

// The vendor's function, in the very file that the host named.
Result<VendorKernel> load_vendor(const VendorCall& call) {
  if (!call.library.starts_with('/')) {
    return unsupported("the vendor '" + call.library + "' is no file that can be loaded elsewhere");
  }
  void* const library = dlopen(call.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return unsupported("cannot load " + call.library + ": " + std::string(dlerror()));
  }
  void* const function = dlsym(library, call.symbol.c_str());
  if (function == nullptr) return unsupported(call.library + " has no " + call.symbol);
  const std::optional<host::LoadedObject> object = host::object_at(function);
  if (!object || object->identity() != call.identity) {
    return unsupported(call.library + " is '" + (object ? object->identity() : "?") +
                       "' here, and the host has '" + call.identity + "'; start the program again");
  }
  const int threads = host::vendor(host::vendor_of_function(function)).thread_budget();
  if (threads != call.threads) {
    return unsupported("the vendor uses " + std::to_string(threads) + " threads here, and " +
                       std::to_string(call.threads) + " in the program");
  }
  return bind_vendor(call, function);
}

// A call that was begun: its operands and the kernel to beat.
class BegunCall final : public TrialSession {
 public:
  static Result<std::unique_ptr<BegunCall>> begin(const BeginRequest& request,
                                                  const TrialWorkerOptions& options) {
    const Problem problem = TRIODE_TRY(problem_of(request.call));
    if (operand_bytes(problem) > kMostOperandBytes) {
      return unsupported("the operands take more than 1 GiB");
    }
    auto device = TRIODE_TRY(options.make_device(request.cores));
    if (device->target().fingerprint() != request.target) {
      return unsupported("the program sees another machine: '" + request.target +
                         "', and here is '" + device->target().fingerprint() + "'");
    }
    VendorKernel vendor = TRIODE_TRY(load_vendor(request.call));
    Space space = TRIODE_TRY(device->enumerate(problem));
    ProblemOperands timed = TRIODE_TRY(ProblemOperands::make(problem, options.seed));
    std::unique_ptr<BegunCall> call(new BegunCall(problem, std::move(device), std::move(vendor),
                                                  std::move(space), std::move(timed)));
    TRIODE_TRY(call->make_checked(options.seed));
    call->time_vendor();
    return call;
  }

  double vendor_ns() const override { return vendor_ns_; }

  TrialAnswer answer(const TrialRequest& request) override {
    const Result<Config> config = space_.parse(request.config);
    if (!config.ok())
      return failed(outcome_of_failure(config.status(), OutcomeKind::kCompileFailed));
    const auto artifact = device_->build(problem_, *config);
    if (!artifact.ok())
      return failed(outcome_of_failure(artifact.status(), OutcomeKind::kCompileFailed));
    const bool fully = request.purpose != TrialPurpose::kTry;
    if (Outcome outcome = check(**artifact, fully); !outcome.ok()) return failed(outcome);
    switch (request.purpose) {
      case TrialPurpose::kCheck:
        return checked(**artifact);
      case TrialPurpose::kRace:
        return race(**artifact, nanoseconds(request.race_budget_ns));
      default:
        return try_out(**artifact);
    }
  }

 private:
  BegunCall(const Problem& problem, std::unique_ptr<Device> device, VendorKernel vendor,
            Space space, ProblemOperands timed)
      : problem_(problem),
        device_(std::move(device)),
        vendor_(std::move(vendor)),
        space_(std::move(space)),
        timed_(std::move(timed)) {}

  Status make_checked(uint64_t seed) {
    const int count = operand_bytes(problem_) <= kMostCheckedFully ? kContentsCount : 1;
    for (int i = 0; i < count; ++i) {
      const bool at_start = i % 2 != 0;
      checked_.push_back(TRIODE_TRY(GuardedOperands::make(
          problem_, static_cast<Contents>(i), at_start, seed + static_cast<uint64_t>(i), vendor_)));
    }
    return {};
  }

  void time_vendor() {
    vendor_(timed_.operands());
    const nanoseconds begin = steady_clock().now();
    vendor_(timed_.operands());
    vendor_ns_ = static_cast<double>((steady_clock().now() - begin).count());
  }

  static TrialAnswer failed(const Outcome& outcome) {
    TrialAnswer answer;
    answer.outcome = outcome.kind;
    answer.reason = outcome.reason;
    return answer;
  }

  static TrialAnswer checked(const Artifact& artifact) {
    TrialAnswer answer;
    answer.code_digest = artifact.digest();
    return answer;
  }

  // On the exact contents before a first look at the time; on all before a race or a choice.
  Outcome check(const Artifact& artifact, bool fully) {
    for (const auto& checked : checked_) {
      checked->reset_c();
      const Status ran = device_->run(artifact, checked->operands());
      if (!ran.ok()) return outcome_of_failure(ran, OutcomeKind::kLaunchFailed);
      if (Outcome outcome = checked->check(); !outcome.ok()) return outcome;
      if (!fully) break;
    }
    return {};
  }

  // A call that was checked does not fail later.
  Sample time_calls(const Artifact& artifact, int32_t repeats) {
    const nanoseconds begin = steady_clock().now();
    for (int32_t i = 0; i < repeats; ++i) (void)device_->run(artifact, timed_.operands());
    return {(steady_clock().now() - begin) / static_cast<double>(repeats), repeats};
  }

  TrialAnswer try_out(const Artifact& artifact) {
    std::vector<Sample> samples = {time_calls(artifact, 1)};
    const double call_ns = std::max(samples[0].per_call.count(), 10.0);
    const auto repeats = static_cast<int32_t>(std::max(1L, std::lround(kQuickSampleNs / call_ns)));
    if (repeats > 1) samples[0] = time_calls(artifact, repeats);
    while (samples.size() < kQuickSamples && summarize(samples).min_ns <= best_ns_ * kHopeless) {
      samples.push_back(time_calls(artifact, repeats));
    }
    const Measurement measurement = summarize(samples);
    best_ns_ = std::min(best_ns_, measurement.min_ns);
    TrialAnswer answer;
    answer.code_digest = artifact.digest();
    answer.candidate = SentMeasurement::from(measurement);
    return answer;
  }

  TrialAnswer race(const Artifact& artifact, nanoseconds budget) {
    TimingOptions timing;
    timing.budget = budget;
    timing.min_rounds = kLeastRaceRounds;
    const auto pair = device_->time(artifact, vendor_, timed_.operands(), timing);
    if (!pair.ok()) return failed(outcome_of_failure(pair.status(), OutcomeKind::kLaunchFailed));
    TrialAnswer answer;
    answer.code_digest = artifact.digest();
    answer.candidate = SentMeasurement::from(pair->candidate);
    answer.vendor = SentMeasurement::from(pair->vendor);
    answer.speedup = pair->speedup;
    answer.speedup_spread = pair->speedup_spread;
    answer.rejected = pair->rejected;
    if (pair->candidate.count <= kLeastRaceRounds && pair->rejected > kLeastRaceRounds) {
      answer.outcome = OutcomeKind::kUnstable;
      answer.reason = "the machine was too busy: " + std::to_string(pair->rejected) +
                      " rounds were interrupted";
    }
    return answer;
  }

  const Problem problem_;
  const std::unique_ptr<Device> device_;
  const VendorKernel vendor_;
  const Space space_;
  ProblemOperands timed_;
  std::vector<std::unique_ptr<GuardedOperands>> checked_;
  double vendor_ns_ = 0;
  double best_ns_ = std::numeric_limits<double>::max();
};

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
      return std::unique_ptr<TrialSession>(TRIODE_TRY(BegunCall::begin(request, options_)));
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
