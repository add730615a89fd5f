// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/device/loaded_cuda_program.h"
#include "runtime/host/executable.h"

namespace triode::host {

// A plan on a GPU: enqueues kernels on the caller's stream. No allocation, and no lock of ours. Its
// code stays loaded for good: a graph of the program may hold its kernels.
class CudaExecutable final : public Executable {
 public:
  CudaExecutable(std::unique_ptr<const LoadedCudaProgram> loaded, uint64_t digest)
      : loaded_(std::move(loaded)), digest_(digest) {}

  // A launch that the driver refuses is answered by the vendor, as are all calls after it: what is
  // wrong then is wrong for good, or the program's own to see.
  bool run(const RawCall& call, bool operands_exchanged) const noexcept override {
    if (has_failed_.load(std::memory_order_relaxed)) return false;
    const Operands operands = operands_of(call, operands_exchanged);
    const CudaCall launched{.a = operands.a,
                            .b = operands.b,
                            .c = operands.c,
                            .bias = operands.bias,
                            .alpha = operands.alpha,
                            .beta = operands.beta};
    if (loaded_->launch(launched, static_cast<CUstream>(call.stream)) == CUDA_SUCCESS) return true;
    has_failed_.store(true, std::memory_order_relaxed);
    return false;
  }
  uint64_t digest() const override { return digest_; }

 private:
  std::unique_ptr<const LoadedCudaProgram> loaded_;
  uint64_t digest_;
  mutable std::atomic<bool> has_failed_{false};
};

}  // namespace triode::host
