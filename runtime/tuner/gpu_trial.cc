// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/gpu_trial.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/cuda_device.h"
#include "runtime/tuner/cublas_vendor.h"
#include "runtime/tuner/gpu_operands.h"
#include "runtime/tuner/vendor_call.h"

namespace triode::tuner {
namespace {

// A sample of a trial lasts about so long, by the GPU's clock.
constexpr double kQuickSampleNs = 400e3;
constexpr int kQuickSamples = 3;
constexpr int kLeastRaceRounds = 15;

class GpuTrial final : public TrialSession {
 public:
  static Result<std::unique_ptr<TrialSession>> begin(const BeginRequest& request, uint64_t seed) {
    const Problem problem = TRIODE_TRY(problem_of(request.call));
    CudaDeviceOptions options;
    options.driver = request.call.gpu_driver;
    options.uuid = request.call.gpu_device;
    auto device = TRIODE_TRY(CudaDevice::create(options));
    if (device->target().fingerprint() != request.target) {
      return unsupported("the program sees another GPU: '" + request.target + "', and here is '" +
                         device->target().fingerprint() + "'");
    }
    auto vendor = TRIODE_TRY(CublasVendor::load(request.call, *device));
    std::unique_ptr<GpuTrial> trial(new GpuTrial(problem, std::move(device), std::move(vendor)));
    TRIODE_TRY(trial->make_operands(seed));
    TRIODE_TRY(trial->vendor_->choose(trial->timed()));
    const int32_t most = TRIODE_TRY(
        trial->device_->most_repeats([&trial] { return trial->vendor_->enqueue(trial->timed()); }));
    const Sample once = TRIODE_TRY(trial->sample_vendor(1));
    const Sample again = TRIODE_TRY(trial->sample_vendor(trial->repeats_for(once, most)));
    trial->vendor_ns_ = again.per_call.count();
    return std::unique_ptr<TrialSession>(std::move(trial));
  }

  double vendor_ns() const override { return vendor_ns_; }

  TrialAnswer answer(const TrialRequest& request) override {
    auto program = parse_cuda_program(request.code);
    if (!program.ok()) return failed(OutcomeKind::kCompileFailed, program.status());
    const uint64_t digest = digest_of(request.code);
    auto artifact = device_->load(std::move(program).take());
    if (!artifact.ok()) return failed(kind_of(artifact.status()), artifact.status());
    TrialAnswer answer = try_out(**artifact, request);
    answer.code_digest = digest;
    return answer;
  }

 private:
  GpuTrial(const Problem& problem, std::unique_ptr<CudaDevice> device,
           std::unique_ptr<CublasVendor> vendor)
      : problem_(problem), device_(std::move(device)), vendor_(std::move(vendor)) {}

  Status make_operands(uint64_t seed) {
    const auto run_vendor = [this](const Operands& operands) {
      TRIODE_TRY(vendor_->enqueue(operands));
      return device_->wait();
    };
    for (const auto contents :
         {GpuOperands::Contents::kEighths, GpuOperands::Contents::kMagnitudes}) {
      checked_.push_back(
          TRIODE_TRY(GpuOperands::make(*device_, problem_, contents, ++seed, run_vendor)));
    }
    return {};
  }

  const Operands& timed() const { return checked_.front()->operands(); }

  Result<Sample> sample_vendor(int32_t repeats) {
    return device_->sample([this] { return vendor_->enqueue(timed()); }, repeats);
  }

  static int32_t repeats_for(const Sample& once, int32_t most) {
    const double wanted = kQuickSampleNs / std::max(once.per_call.count(), 1.0);
    return static_cast<int32_t>(std::clamp(std::round(wanted), 1.0, static_cast<double>(most)));
  }

  static OutcomeKind kind_of(const Status& status) {
    switch (status.code()) {
      case StatusCode::kResourceExhausted:
        return OutcomeKind::kOutOfMemory;
      case StatusCode::kUnsupported:
        return OutcomeKind::kCompileFailed;
      default:
        return OutcomeKind::kLaunchFailed;
    }
  }

  // A launch that is refused leaves all as it was; after a fault of the GPU nothing runs any more.
  TrialAnswer failed(OutcomeKind kind, const Status& status) const {
    TrialAnswer answer;
    answer.outcome = kind;
    answer.reason = status.message();
    if (const Status now = device_->wait(); !now.ok()) {
      answer.outcome = OutcomeKind::kCrashed;
      answer.reason = now.message();
      answer.is_last = true;
    }
    return answer;
  }

  // Ok, or the answer that it is to be.
  Status run_checked(const Artifact& artifact, Outcome& outcome) {
    for (const auto& checked : checked_) {
      TRIODE_TRY(checked->reset_c());
      TRIODE_TRY(device_->run(artifact, checked->operands()));
      outcome = TRIODE_TRY(checked->check());
      if (!outcome.ok()) return {};
    }
    return {};
  }

  TrialAnswer try_out(const Artifact& artifact, const TrialRequest& request) {
    Outcome outcome;
    if (const Status ran = run_checked(artifact, outcome); !ran.ok()) {
      return failed(kind_of(ran), ran);
    }
    TrialAnswer answer;
    answer.outcome = outcome.kind;
    answer.reason = outcome.reason;
    if (!outcome.ok()) return answer;
    const Status done = time(artifact, request, answer);
    return done.ok() ? answer : failed(kind_of(done), done);
  }

  Status time(const Artifact& artifact, const TrialRequest& request, TrialAnswer& answer) {
    switch (request.purpose) {
      case TrialPurpose::kCheck:
        return {};
      case TrialPurpose::kRace:
        return race(artifact, request.race_budget_ns, answer);
      default:
        return time_quickly(artifact, answer);
    }
  }

  Status time_quickly(const Artifact& artifact, TrialAnswer& answer) {
    const auto enqueue = [&] { return device_->enqueue(artifact, timed()); };
    const int32_t most = TRIODE_TRY(device_->most_repeats(enqueue));
    const Sample once = TRIODE_TRY(device_->sample(enqueue, 1));
    std::vector<Sample> samples;
    for (int i = 0; i < kQuickSamples; ++i) {
      samples.push_back(TRIODE_TRY(device_->sample(enqueue, repeats_for(once, most))));
    }
    answer.candidate = SentMeasurement::from(summarize(samples));
    return {};
  }

  Status race(const Artifact& artifact, int64_t budget_ns, TrialAnswer& answer) {
    TimingOptions timing;
    timing.budget = std::chrono::nanoseconds(budget_ns);
    timing.min_rounds = kLeastRaceRounds;
    Status refused;
    const auto vendor = [&](const Operands& operands) {
      if (const Status status = vendor_->enqueue(operands); !status.ok()) refused = status;
    };
    const PairMeasurement pair = TRIODE_TRY(device_->time(artifact, vendor, timed(), timing));
    TRIODE_TRY(std::move(refused));
    answer.candidate = SentMeasurement::from(pair.candidate);
    answer.vendor = SentMeasurement::from(pair.vendor);
    answer.speedup = pair.speedup;
    answer.speedup_spread = pair.speedup_spread;
    answer.rejected = pair.rejected;
    return {};
  }

  const Problem problem_;
  const std::unique_ptr<CudaDevice> device_;
  const std::unique_ptr<CublasVendor> vendor_;
  std::vector<std::unique_ptr<GpuOperands>> checked_;
  double vendor_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<TrialSession>> begin_gpu_trial(const BeginRequest& request, uint64_t seed) {
  return GpuTrial::begin(request, seed);
}

}  // namespace triode::tuner
