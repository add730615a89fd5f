// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/device.h"

namespace triode {

// A device whose calls do nothing any more once they should stop, so that whoever makes a series of
// them is through with it at once. What was timed or computed since must not be used. Both must
// outlive this.
class StoppableDevice final : public Device {
 public:
  StoppableDevice(Device& device, const std::function<bool()>& should_stop)
      : device_(device), should_stop_(should_stop) {}

  const Target& target() const override { return device_.target(); }
  Result<Space> enumerate(const Problem& problem) const override {
    return device_.enumerate(problem);
  }
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override {
    return device_.build(problem, config);
  }

  // kUnavailable once it should stop.
  Status run(const Artifact& artifact, const Operands& operands) override {
    if (should_stop_()) return unavailable("The calls were stopped.");
    return device_.run(artifact, operands);
  }

  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override {
    TimingOptions stoppable = options;
    stoppable.should_stop = should_stop_;
    return device_.time(artifact, vendor, operands, stoppable);
  }

 private:
  Device& device_;
  const std::function<bool()>& should_stop_;
};

}  // namespace triode
