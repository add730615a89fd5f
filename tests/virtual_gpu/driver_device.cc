// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: the device, its context, and names of errors.
#include <cstdio>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer;
using triode::vgpu::DriverState;

namespace {

thread_local CUcontext current_context = nullptr;

int attribute_value(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 8;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 4;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return triode::vgpu::kSharedPerBlock;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return triode::vgpu::kSharedPerBlockOptin;
    default:
      return 0;
  }
}

const char* error_name(CUresult result) {
  switch (result) {
    case CUDA_SUCCESS:
      return "CUDA_SUCCESS";
    case CUDA_ERROR_INVALID_VALUE:
      return "CUDA_ERROR_INVALID_VALUE";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case CUDA_ERROR_INVALID_PTX:
      return "CUDA_ERROR_INVALID_PTX";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case CUDA_ERROR_NOT_FOUND:
      return "CUDA_ERROR_NOT_FOUND";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return "CUDA_ERROR_MISALIGNED_ADDRESS";
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return "CUDA_ERROR_LAUNCH_TIMEOUT";
    default:
      return "CUDA_ERROR_UNKNOWN";
  }
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuInit(unsigned) {
  return answer(__func__, [](DriverState& state) {
    state.is_initialised = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return answer(__func__, [&](DriverState&) {
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer(__func__, [&](DriverState&) {
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

// The name says what it is, so that no report passes for one of a GPU.
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  return answer(__func__, [&](DriverState&) {
    std::snprintf(name, static_cast<size_t>(size), "Triode virtual GPU (test instrument)");
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem(size_t* size_bytes, CUdevice) {
  return answer(__func__, [&](DriverState&) {
    *size_bytes = triode::vgpu::kMemoryBytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return answer(__func__, [&](DriverState&) {
    *value = attribute_value(attribute);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return answer(__func__, [&](DriverState& state) {
    *context = &state.context;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}

// Frees everything and forgets a fault: what a process of its own would give a test.
CUresult cuDevicePrimaryCtxReset(CUdevice) {
  triode::vgpu::DriverCall call(__func__);
  DriverState& state = call.state();
  state.lost = CUDA_SUCCESS;
  state.memory = triode::vgpu::DeviceMemory();
  state.modules.clear();
  state.streams.clear();
  state.events.clear();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  current_context = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_context;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return answer(__func__, [](DriverState&) { return CUDA_SUCCESS; });
}

CUresult cuGetErrorName(CUresult result, const char** name) {
  *name = error_name(result);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char** text) {
  return cuGetErrorName(result, text);
}

#pragma GCC visibility pop
}
