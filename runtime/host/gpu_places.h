// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/device/cuda_driver.h"
#include "runtime/device/cuda_target.h"

namespace triode::host {

// Where a program's calls on GPUs run: a context of a device. Code is loaded into one, and runs in
// no other. Lives until the process ends; immutable.
struct GpuPlace {
  int number = 0;  // from 1
  CUcontext context = nullptr;
  unsigned long long context_id = 0;  // which no later context has
  std::shared_ptr<const CudaDriver> driver;
  CudaDeviceIdentity device;
};

// The place of the calling thread's context; null if it has none, if that is not its device's
// primary one, or if there are too many. After the first call from a context: two calls of the
// driver, no lock and no allocation.
const GpuPlace* current_gpu_place() noexcept;

// By number; null if there is none yet.
const GpuPlace* gpu_place(int number) noexcept;

}  // namespace triode::host
