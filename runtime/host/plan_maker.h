// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"
#include "runtime/host/gpu_stopwatch.h"

namespace triode::host {

class Executable;
struct PlanEntry;

// A plan as it comes from a tuner.
struct MadePlan {
  std::string config;        // Space::to_string
  uint64_t code_digest = 0;  // of what was checked
  std::string code;          // a CudaProgram; empty where the code is made here
};

// Turns plans of one target into code that runs in this process.
class PlanMaker {
 public:
  virtual ~PlanMaker() = default;

  virtual const Target& target() const = 0;

  // Whether calls of this entry run there.
  virtual bool serves(const PlanEntry& entry) const = 0;

  // kCorrupt if the code is not what was checked and timed. Never on a hit: takes long.
  virtual Result<std::unique_ptr<const Executable>> make(const Problem& problem,
                                                         const MadePlan& plan) const = 0;

  // By what another process finds the same GPU: the driver's file, and the device's uuid. Empty on
  // the processor.
  virtual std::string gpu_driver() const { return {}; }
  virtual std::string gpu_device() const { return {}; }
  // For an entry that it serves. Null on the processor, whose calls their callers time, and where
  // there is none.
  virtual std::unique_ptr<GpuStopwatch> make_stopwatch() const { return nullptr; }
};

}  // namespace triode::host
