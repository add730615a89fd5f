// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "core/device.h"
#include "jit/x86/kernel_cache.h"
#include "jit/x86/vector_isa.h"
#include "runtime/device/interruption_counter.h"
#include "runtime/device/parallel_for.h"

namespace triode {

struct CpuDeviceOptions {
  std::vector<x86::IsaId> isas;  // widths to use, runnable here; empty: all that are
  int32_t cores = 0;             // most threads of a config; 0: usable_cores()
  ParallelFor
      parallel_for;  // runs threaded configs; empty: libtriode_parallel.so, when first needed
  const Clock* clock = nullptr;                        // of time(); null: the machine's
  const InterruptionCounter* interruptions = nullptr;  // of time(); null: the kernel's
};

// The processor this program runs on, with kernels emitted by jit/x86.
//
// run() takes its workspace from the calling thread's scratch memory: after a thread's first call
// of the largest problem there is no allocation. time() keeps warm and cold apart: warm calls find
// their operands where the call before left them, cold ones find them in memory (see ColdOperands).
class CpuDevice final : public Device {
 public:
  // kInvalidArgument for a width this processor cannot run or a negative count of cores;
  // kUnsupported on a processor without AVX2.
  static Result<std::unique_ptr<CpuDevice>> create(CpuDeviceOptions options = {});

  const Target& target() const override { return target_; }
  Result<Space> enumerate(const Problem& problem) const override;

  // A CpuArtifact. kInvalidArgument, with the reason, for a config that is not legal for the
  // problem.
  Result<std::unique_ptr<Artifact>> build(const Problem& problem, const Config& config) override;

  // The artifact must come from build() of a CpuDevice. CpuArtifact::run() does the same unchecked.
  Status run(const Artifact& artifact, const Operands& operands) override;
  Result<PairMeasurement> time(const Artifact& artifact, const VendorKernel& vendor,
                               const Operands& operands, const TimingOptions& options) override;

  x86::KernelCache& kernels() { return kernels_; }

 private:
  explicit CpuDevice(CpuDeviceOptions options);

  CpuDeviceOptions options_;
  Target target_;
  x86::KernelCache kernels_;
};

}  // namespace triode
