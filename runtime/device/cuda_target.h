// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "core/target.h"

namespace triode {

class CudaDriver;

// One of the driver's devices: what it is, and by what another process finds the same one.
struct CudaDeviceIdentity {
  int ordinal = 0;
  std::string uuid;  // 32 hexadecimal digits
  Target target;
  int64_t memory_bytes = 0;
};

// Part of every cuda target's toolchain, to which the tuner adds what compiles; raised when it is
// checked, timed or launched so differently that old plans and timings say nothing any more.
inline constexpr int kCudaKernelsVersion = 1;

// kUnavailable, with the driver's words, if there is no such device.
Result<CudaDeviceIdentity> describe_cuda_device(const CudaDriver& driver, int ordinal);

// The ordinal of the device with that uuid: processes count devices differently. kNotFound if this
// process does not see it.
Result<int> find_cuda_device(const CudaDriver& driver, const std::string& uuid);

// Whether targets of this architecture are GPUs: "sm_80".
bool is_cuda_isa(const std::string& isa);

// Most shared memory of a block on devices of that architecture, by NVIDIA's tables; that of the
// smallest for one that is not known.
int64_t most_shared_bytes(const std::string& isa);
// The same of the threads of a multiprocessor.
int64_t most_resident_threads(const std::string& isa);

}  // namespace triode
