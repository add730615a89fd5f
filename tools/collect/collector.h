// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cache/measurement_store.h"
#include "core/clock.h"
#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"
#include "tools/collect/collect_options.h"

namespace triode::collect {

struct CollectCounts {
  size_t problems = 0;  // looked at
  size_t known = 0;     // trials that the cache held already
  size_t measured = 0;
  size_t failed = 0;  // of those measured: not ok
};

// Measures configs of problems against the vendor and keeps every trial, a problem at a time: what
// was kept survives kill -9, and the next run goes on after it. The device and the store must
// outlive this.
class Collector {
 public:
  Collector(Device& device, MeasurementStore& store, const CollectOptions& options,
            const Clock& clock = steady_clock())
      : device_(device), store_(store), options_(options), clock_(clock) {}

  // The vendor must run on problem.threads threads already. An error if the device cannot run the
  // problem, or the store fails.
  Status collect(const Problem& problem, const VendorKernel& vendor);

  const CollectCounts& counts() const { return counts_; }

 private:
  Status keep(const Problem& problem, const Space& space, const std::vector<ConfigTrial>& trials);

  Device& device_;
  MeasurementStore& store_;
  const CollectOptions& options_;
  const Clock& clock_;
  CollectCounts counts_;
};

}  // namespace triode::collect
