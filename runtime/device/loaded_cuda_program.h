// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/status.h"
#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_program.h"

namespace triode {

// Pointers and scalars of one call on a GPU; pointers are the device's.
struct CudaCall {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
  double alpha = 1;
  double beta = 0;
};

// A program in a context, ready to be launched there. Immutable; any thread may launch it that has
// that context. Not unloaded when it goes, but by unload(): a graph may hold its kernels, or a
// stream still run them.
class LoadedCudaProgram {
 public:
  // Into the calling thread's context: the cubin, or else the PTX, which the driver compiles first.
  // Milliseconds to seconds; may be called while streams are captured. kUnsupported if the device
  // cannot run it, with the driver's words.
  static Result<std::unique_ptr<const LoadedCudaProgram>> load(
      std::shared_ptr<const CudaDriver> driver, CudaProgram program);

  // Enqueues all launches. No lock and no allocation of ours. After an error none, or only the
  // first of several, was enqueued.
  CUresult launch(const CudaCall& call, CUstream stream) const noexcept;

  // Once nothing runs it any more, in its context.
  void unload() const;

  const CudaProgram& program() const { return program_; }

 private:
  LoadedCudaProgram(std::shared_ptr<const CudaDriver> driver, CudaProgram program)
      : driver_(std::move(driver)), program_(std::move(program)) {}
  Status add(const CudaLaunch& launch);
  Result<CUmodule> load_module(const CudaLaunch& launch);

  const std::shared_ptr<const CudaDriver> driver_;
  const CudaProgram program_;
  std::vector<CUmodule> modules_;      // of the launches
  std::vector<CUfunction> functions_;  // in them
};

}  // namespace triode
