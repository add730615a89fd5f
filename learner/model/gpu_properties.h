// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "learner/model/device_traits.h"

namespace triode {

// What a driver tells of a gpu.
struct GpuProperties {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int capability_major = 0;
  int capability_minor = 0;
  int64_t multiprocessors = 0;
  int64_t smem_per_multiprocessor_bytes = 0;
  int64_t smem_per_block_bytes = 0;  // most that a block may opt in to
  int64_t l2_bytes = 0;
  int64_t clock_khz = 0;         // 0: not told
  int64_t memory_clock_khz = 0;  // 0: not told
  int64_t memory_bus_bits = 0;   // 0: not told
};

// The traits of that gpu: of a known name those on record, else the nearest known gpu's, scaled by
// what the driver tells, so that a model starts sensibly on a device nobody measured. kUnsupported
// before compute capability 7.0, whose tensor cores the kernels need; kInvalidArgument if a size is
// not positive.
Result<DeviceTraits> traits_of_gpu(const GpuProperties& properties);

}  // namespace triode
