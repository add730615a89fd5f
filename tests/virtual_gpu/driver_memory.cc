// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: memory. Copies are done when they return, on any stream.
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer;
using triode::vgpu::DriverState;

namespace {

// The device's bytes, or null if they are not all in one allocation.
template <typename Use>
CUresult use_bytes(DriverState& state, CUdeviceptr address, size_t size_bytes, Use use) {
  if (size_bytes == 0) return CUDA_SUCCESS;
  std::byte* bytes = state.memory.at(address, size_bytes);
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  use(bytes);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuMemAlloc(CUdeviceptr* address, size_t size_bytes) {
  return answer(__func__, [&](DriverState& state) {
    if (size_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (size_bytes > triode::vgpu::kMemoryBytes - state.memory.used_bytes()) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = state.memory.allocate(size_bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  return answer(__func__, [&](DriverState& state) {
    return address == 0 || state.memory.release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return answer(__func__, [&](DriverState& state) {
    *total_bytes = triode::vgpu::kMemoryBytes;
    *free_bytes = *total_bytes - state.memory.used_bytes();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size_bytes) {
  return answer(__func__, [&](DriverState& state) {
    return use_bytes(state, to, size_bytes,
                     [&](std::byte* bytes) { std::memcpy(bytes, from, size_bytes); });
  });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size_bytes) {
  return answer(__func__, [&](DriverState& state) {
    return use_bytes(state, from, size_bytes,
                     [&](std::byte* bytes) { std::memcpy(to, bytes, size_bytes); });
  });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size_bytes, CUstream) {
  return cuMemcpyHtoD(to, from, size_bytes);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size_bytes, CUstream) {
  return cuMemcpyDtoH(to, from, size_bytes);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t size_bytes) {
  return answer(__func__, [&](DriverState& state) {
    return use_bytes(state, to, size_bytes,
                     [&](std::byte* bytes) { std::memset(bytes, value, size_bytes); });
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size_bytes, CUstream) {
  return cuMemsetD8(to, value, size_bytes);
}

#pragma GCC visibility pop
}
