// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/config.h"
#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode {

// A call that a plan is wanted for.
struct TuningRequest {
  Problem problem;
  std::string vendor;          // the library and symbol that serve it now
  VendorKernel vendor_kernel;  // calls just that for exactly this problem, on any operands of it
};

// A config that beat the vendor beyond the noise, with the figures of the race that confirmed it.
struct FoundPlan {
  Config config;
  std::string config_text;   // Space::to_string
  uint64_t code_digest = 0;  // Artifact::digest() of what was checked and timed
  double speedup = 0;        // over the vendor: median of interleaved pairs
  double spread = 0;         // of that
  double vendor_ns = 0;      // per call, medians
  double plan_ns = 0;
};

// Who finds plans for LocalTuning. One request at a time.
class PlanSource {
 public:
  virtual ~PlanSource() = default;

  // Empty if nothing faster was found, and the vendor stays. May take seconds; `should_stop`, if
  // there is one, is asked now and then on the calling thread, and true ends the search without an
  // answer: kUnavailable. kUnsupported for a problem that no kernel can run. After any error the
  // vendor stays too.
  virtual Result<std::optional<FoundPlan>> find(const TuningRequest& request,
                                                const std::function<bool()>& should_stop) = 0;
};

}  // namespace triode
