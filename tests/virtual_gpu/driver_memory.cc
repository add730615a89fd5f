// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: memory. What is enqueued is done when it returns, unless its
// stream is captured.
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer;
using triode::vgpu::answer_in_context;
using triode::vgpu::DriverState;
using triode::vgpu::VirtualDevice;

namespace {

// The device's bytes, or an error if they are not all in one allocation.
template <typename Use>
CUresult use_bytes(DriverState& state, CUdeviceptr address, size_t size_bytes, Use use) {
  if (size_bytes == 0) return CUDA_SUCCESS;
  std::byte* bytes = state.bytes_at(address, size_bytes);
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  use(bytes);
  return CUDA_SUCCESS;
}

CUresult copy_in(const char* entry, CUstream stream, CUdeviceptr to, const void* from,
                 size_t size_bytes) {
  return answer_in_context(entry, [=](DriverState& state, VirtualDevice&) {
    return state.enqueue(stream, [=](DriverState& now) {
      return use_bytes(now, to, size_bytes,
                       [=](std::byte* bytes) { std::memcpy(bytes, from, size_bytes); });
    });
  });
}

CUresult copy_out(const char* entry, CUstream stream, void* to, CUdeviceptr from,
                  size_t size_bytes) {
  return answer_in_context(entry, [=](DriverState& state, VirtualDevice&) {
    return state.enqueue(stream, [=](DriverState& now) {
      return use_bytes(now, from, size_bytes,
                       [=](std::byte* bytes) { std::memcpy(to, bytes, size_bytes); });
    });
  });
}

CUresult fill(const char* entry, CUstream stream, CUdeviceptr to, unsigned char value,
              size_t size_bytes) {
  return answer_in_context(entry, [=](DriverState& state, VirtualDevice&) {
    return state.enqueue(stream, [=](DriverState& now) {
      return use_bytes(now, to, size_bytes,
                       [=](std::byte* bytes) { std::memset(bytes, value, size_bytes); });
    });
  });
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuMemAlloc(CUdeviceptr* address, size_t size_bytes) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    if (const CUresult refused = state.refuse_while_capturing(); refused != CUDA_SUCCESS) {
      return refused;
    }
    if (size_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (size_bytes > triode::vgpu::kMemoryBytes - device.memory.used_bytes()) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = device.memory.allocate(size_bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice&) {
    if (const CUresult refused = state.refuse_while_capturing(); refused != CUDA_SUCCESS) {
      return refused;
    }
    if (address == 0) return CUDA_SUCCESS;
    for (const auto& device : state.devices) {
      if (device->holds(address) && device->memory.release(address)) return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return answer_in_context(__func__, [&](DriverState&, VirtualDevice& device) {
    *total_bytes = triode::vgpu::kMemoryBytes;
    *free_bytes = *total_bytes - device.memory.used_bytes();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size_bytes) {
  return copy_in(__func__, nullptr, to, from, size_bytes);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size_bytes) {
  return copy_out(__func__, nullptr, to, from, size_bytes);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size_bytes, CUstream stream) {
  return copy_in(__func__, stream, to, from, size_bytes);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size_bytes, CUstream stream) {
  return copy_out(__func__, stream, to, from, size_bytes);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t size_bytes) {
  return fill(__func__, nullptr, to, value, size_bytes);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size_bytes, CUstream stream) {
  return fill(__func__, stream, to, value, size_bytes);
}

// As Triton's launcher asks whether a pointer is one of the GPU's.
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return answer(__func__, [&](DriverState& state) {
    if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return CUDA_ERROR_NOT_SUPPORTED;
    if (state.bytes_at(pointer, 1) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(value, &pointer, sizeof pointer);
    return CUDA_SUCCESS;
  });
}

#pragma GCC visibility pop
}
