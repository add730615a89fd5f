// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/device.h"
#include "core/status.h"
#include "runtime/device/cuda_device.h"
#include "runtime/tuner/messages.h"

namespace triode::tuner {

// The function of cuBLAS or cuBLASLt that serves a reported call, ready to be called with other
// operands of the same problem: with a handle, and for cuBLASLt with descriptors, of its own. For
// one thread, in the context that it was made in.
class CublasVendor {
 public:
  virtual ~CublasVendor() = default;

  // Loads the very file that the host named, and enqueues on the device's stream. kUnsupported if
  // it is another library here, or has no such function.
  static Result<std::unique_ptr<CublasVendor>> load(const VendorCall& call, CudaDevice& device);

  // Takes the fastest of the algorithms that the library proposes, for all calls to come, where the
  // caller of that function has a choice. By default it is the library's.
  virtual Status choose(const Operands& operands);

  // Enqueues one call. kUnavailable, with cuBLAS's status, if it refuses.
  virtual Status enqueue(const Operands& operands) = 0;
};

}  // namespace triode::tuner
