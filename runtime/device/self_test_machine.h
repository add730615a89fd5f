// SPDX-License-Identifier: Apache-2.0
// Internal to the self-test of a GPU.
#pragma once

#include <string>

#include "core/status.h"
#include "runtime/device/cuda_driver.h"

namespace triode {

// Every device that the driver sees: name, architecture, memory.
Result<std::string> describe_devices(const CudaDriver& driver);

// What Triode's tables say of the first device's architecture is what the device says of itself:
// they decide which kernels are tried. kInternal where they differ.
Result<std::string> compare_limits(const CudaDriver& driver);

// Memory of the current context.
Result<std::string> describe_memory(const CudaDriver& driver);

// NVIDIA's matmul libraries where the loader finds them, with their versions. kNotFound if there
// are none: programs may bring their own.
Result<std::string> find_vendor_libraries();

}  // namespace triode
