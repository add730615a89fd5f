// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"

// Plain loops over float32 matrices, in either order and in tiles of several widths: the smallest
// device that has something to choose.
class LoopDevice final : public triode::Device {
 public:
  LoopDevice();

  const triode::Target& target() const override { return target_; }
  triode::Result<triode::Space> enumerate(const triode::Problem& problem) const override;
  triode::Result<std::unique_ptr<triode::Artifact>> build(const triode::Problem& problem,
                                                          const triode::Config& config) override;
  triode::Status run(const triode::Artifact& artifact, const triode::Operands& operands) override;
  triode::Result<triode::PairMeasurement> time(const triode::Artifact& artifact,
                                               const triode::VendorKernel& vendor,
                                               const triode::Operands& operands,
                                               const triode::TimingOptions& options) override;

 private:
  triode::Target target_;
};
