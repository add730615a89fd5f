// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/cpu_trial.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "runtime/host/loaded_object.h"
#include "runtime/host/vendor.h"
#include "runtime/search/problem_operands.h"
#include "runtime/tuner/guarded_operands.h"
#include "runtime/tuner/vendor_call.h"

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

constexpr int kLeastRaceRounds = 15;

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
  static Result<std::unique_ptr<TrialSession>> begin(const BeginRequest& request,
                                                     const MakeDevice& make_device, uint64_t seed) {
    const Problem problem = TRIODE_TRY(problem_of(request.call));
    if (operand_bytes(problem) > kMostOperandBytes) {
      return unsupported("the operands take more than 1 GiB");
    }
    auto device = TRIODE_TRY(make_device(request.cores));
    if (device->target().fingerprint() != request.target) {
      return unsupported("the program sees another machine: '" + request.target +
                         "', and here is '" + device->target().fingerprint() + "'");
    }
    VendorKernel vendor = TRIODE_TRY(load_vendor(request.call));
    Space space = TRIODE_TRY(device->enumerate(problem));
    ProblemOperands timed = TRIODE_TRY(ProblemOperands::make(problem, seed));
    std::unique_ptr<BegunCall> call(new BegunCall(problem, std::move(device), std::move(vendor),
                                                  std::move(space), std::move(timed)));
    TRIODE_TRY(call->make_checked(seed));
    call->time_vendor();
    return std::unique_ptr<TrialSession>(std::move(call));
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

}  // namespace

Result<std::unique_ptr<TrialSession>> begin_cpu_trial(const BeginRequest& request,
                                                      const MakeDevice& make_device,
                                                      uint64_t seed) {
  return BegunCall::begin(request, make_device, seed);
}

}  // namespace triode::tuner
