// SPDX-License-Identifier: Apache-2.0
// Internal to the self-test of a GPU.
#pragma once

#include <functional>

#include "core/status.h"
#include "runtime/device/cuda_device.h"
#include "runtime/device/cuda_driver.h"

namespace triode {

// Captures the device's stream in the strictest mode while it enqueues a ready kernel, and another
// thread calls `load`, as a tuned program would do; the capture must survive, and hold the kernel:
// launching the graph runs it. kInternal if it does not.
Status test_capture(const CudaDriver& driver, const CudaDevice& device, const Artifact& artifact,
                    const Operands& operands, const std::function<Status()>& load);

}  // namespace triode
