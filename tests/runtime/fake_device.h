// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "core/clock.h"
#include "core/device.h"

namespace triode {

// A clock that only moves when told to.
class FakeClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override { return now_; }
  void advance(std::chrono::nanoseconds time) { now_ += time; }

 private:
  std::chrono::nanoseconds now_{};
};

// A device for f32 problems whose calls really compute, and take a time that depends on the config
// alone: `step` for each step that `x` and `y` are away from `fast_x` and `fast_y`, plus `step`.
// Building takes 10 us. Pairs are timed by the same clock, which the vendor's kernel has to
// advance.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(FakeClock& clock);

  const Target& target() const override { return target_; }
  Result<Space> enumerate(const Problem& problem) const override;
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override;
  Status run(const Artifact& artifact, const Operands& operands) override;
  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override;

  int idle_parameters = 0;  // more parameters of the space, three values each, that change nothing
  std::chrono::nanoseconds step = std::chrono::microseconds(1);
  int32_t fast_x = 7;
  int32_t fast_y = 3;
  size_t most_built = SIZE_MAX;      // no more are built, for want of memory
  std::set<int32_t> uncompilable_x;  // configs with such an x do not build
  std::set<int32_t> too_large_x;     // these neither, for want of memory
  std::set<int32_t> greedy_x;        // these do, and their calls fail for want of memory
  std::set<int32_t> wrong_x;         // these give a wrong result, in no time at all
  std::vector<Config> built;         // in the order built
  std::vector<Config> timed;         // in pairs, in the order timed

 private:
  FakeClock& clock_;
  Target target_;
};

}  // namespace triode
