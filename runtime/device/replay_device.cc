// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/replay_device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/key.h"

namespace triode {
namespace {

class ReplayedArtifact final : public Artifact {
 public:
  ReplayedArtifact(ReplayedTrial trial, std::optional<ReplayedTrial> vendor, uint64_t digest)
      : trial_(std::move(trial)), vendor_(std::move(vendor)), digest_(digest) {}

  uint64_t digest() const override { return digest_; }
  size_t code_bytes() const override { return 0; }
  size_t workspace_bytes() const override { return 0; }

  const ReplayedTrial& trial() const { return trial_; }
  const std::optional<ReplayedTrial>& vendor() const { return vendor_; }

 private:
  ReplayedTrial trial_;
  std::optional<ReplayedTrial> vendor_;
  uint64_t digest_;
};

const ReplayedArtifact& replayed(const Artifact& artifact) {
  return static_cast<const ReplayedArtifact&>(artifact);
}

// As often below the recorded median as above it, and never outside what was recorded.
double draw_ns(const ReplayedTrial& trial, Random& random) {
  const bool below = random.below(2) == 0;
  const double edge = below ? trial.least_ns : trial.greatest_ns;
  return trial.median_ns + (edge - trial.median_ns) * random.uniform();
}

Sample sample_of(double ns) {
  return {std::chrono::duration<double, std::nano>(ns), 1};
}

Status status_of(const Outcome& outcome) {
  std::string message =
      "recorded as " + std::string(to_string(outcome.kind)) + ": " + outcome.reason;
  return outcome.kind == OutcomeKind::kOutOfMemory ? resource_exhausted(std::move(message))
                                                   : unsupported(std::move(message));
}

}  // namespace

ReplayDevice::ReplayDevice(std::shared_ptr<const ReplaySource> source, uint64_t seed)
    : source_(std::move(source)), random_(seed) {}

const Target& ReplayDevice::target() const {
  return source_->target();
}

Result<Space> ReplayDevice::enumerate(const Problem& problem) const {
  return source_->space(problem);
}

Result<std::unique_ptr<Artifact>> ReplayDevice::build(const Problem& problem,
                                                      const Config& config) {
  std::optional<ReplayedTrial> trial = source_->trial(problem, config);
  if (!trial) return unsupported("nothing was recorded of this config");
  if (trial->outcome.kind == OutcomeKind::kCompileFailed) return status_of(trial->outcome);
  uint64_t digest = hash_of(problem);
  for (size_t i = 0; i < config.size(); ++i) {
    digest = hash_bytes(std::to_string(config[i]), digest);
  }
  return std::unique_ptr<Artifact>(
      std::make_unique<ReplayedArtifact>(*std::move(trial), source_->vendor(problem), digest));
}

Status ReplayDevice::run(const Artifact& artifact, const Operands&) {
  const Outcome& outcome = replayed(artifact).trial().outcome;
  const bool ran = outcome.ok() || outcome.kind == OutcomeKind::kUnstable;
  return ran ? Status() : status_of(outcome);
}

Result<PairMeasurement> ReplayDevice::time(const Artifact& artifact, const VendorKernel&,
                                           const Operands& operands, const TimingOptions& options) {
  TRIODE_TRY(run(artifact, operands));
  const ReplayedTrial& trial = replayed(artifact).trial();
  const std::optional<ReplayedTrial>& vendor = replayed(artifact).vendor();
  std::vector<Sample> ours, theirs;
  std::vector<double> ratios;
  const std::lock_guard lock(mutex_);
  ++timings_;
  for (int round = 0; round < std::max(1, options.min_rounds); ++round) {
    if (options.should_stop && options.should_stop()) return unavailable("the timing was stopped");
    ours.push_back(sample_of(draw_ns(trial, random_)));
    if (!vendor) continue;
    theirs.push_back(sample_of(draw_ns(*vendor, random_)));
    ratios.push_back(theirs.back().per_call / ours.back().per_call);
  }
  PairMeasurement pair;
  pair.candidate = summarize(ours);
  pair.vendor = summarize(theirs);
  pair.speedup = ratios.empty() ? 0 : median_of(ratios);
  pair.speedup_spread = ratios.empty() ? 0 : spread_of(ratios);
  pair.cache_state = options.cache_state;
  return pair;
}

uint64_t ReplayDevice::timings() const {
  const std::lock_guard lock(mutex_);
  return timings_;
}

}  // namespace triode
