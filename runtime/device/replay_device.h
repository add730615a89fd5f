// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/config.h"
#include "core/device.h"
#include "core/measurement.h"
#include "core/outcome.h"
#include "core/problem.h"
#include "core/random.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"

namespace triode {

// How a recorded trial ended, and how long it took per call.
struct ReplayedTrial {
  Outcome outcome;
  double median_ns = 0;
  double least_ns = 0;
  double greatest_ns = 0;
};

// Where recorded timings come from: a file, a cache, another tuner's results. Implementations are
// immutable; any thread may ask.
class ReplaySource {
 public:
  virtual ~ReplaySource() = default;
  virtual const Target& target() const = 0;
  virtual std::vector<Problem> problems() const = 0;
  // kNotFound if nothing was recorded of the problem.
  virtual Result<Space> space(const Problem& problem) const = 0;
  // Empty if that config was never tried.
  virtual std::optional<ReplayedTrial> trial(const Problem& problem,
                                             const Config& config) const = 0;
  // Empty if the vendor's kernel was not timed.
  virtual std::optional<ReplayedTrial> vendor(const Problem& problem) const = 0;
};

// Recorded timings as a device: what was measured once, elsewhere, is measured again here, with the
// noise and the failures it had, in microseconds and without the device. A config that did not
// compile fails in build(), one that crashed or hung in run(), with the recorded reason. It
// computes nothing: run() leaves c alone, and time() replays the vendor's recorded time instead of
// calling its kernel; where none was recorded, the vendor's measurement is empty and the speedup 0.
// The same seed and order of calls give the same figures to the digit. Thread-safe.
class ReplayDevice final : public Device {
 public:
  ReplayDevice(std::shared_ptr<const ReplaySource> source, uint64_t seed);

  const Target& target() const override;
  Result<Space> enumerate(const Problem& problem) const override;
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override;
  Status run(const Artifact& artifact, const Operands& operands) override;
  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override;

  uint64_t timings() const;  // made so far

 private:
  std::shared_ptr<const ReplaySource> source_;
  mutable std::mutex mutex_;
  Random random_;         // guarded by mutex_
  uint64_t timings_ = 0;  // guarded by mutex_
};

}  // namespace triode
