// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: devices, their contexts, and names of errors.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer;
using triode::vgpu::DriverState;
using triode::vgpu::VirtualDevice;

namespace {

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
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      return 65536;
    default:
      return 0;
  }
}

// Without them a number is all there is to say.
#define TRIODE_NAMED_RESULTS            \
  X(CUDA_SUCCESS)                       \
  X(CUDA_ERROR_INVALID_VALUE)           \
  X(CUDA_ERROR_OUT_OF_MEMORY)           \
  X(CUDA_ERROR_NOT_INITIALIZED)         \
  X(CUDA_ERROR_NO_DEVICE)               \
  X(CUDA_ERROR_INVALID_DEVICE)          \
  X(CUDA_ERROR_INVALID_CONTEXT)         \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU)       \
  X(CUDA_ERROR_INVALID_PTX)             \
  X(CUDA_ERROR_INVALID_HANDLE)          \
  X(CUDA_ERROR_NOT_FOUND)               \
  X(CUDA_ERROR_ILLEGAL_ADDRESS)         \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) \
  X(CUDA_ERROR_LAUNCH_TIMEOUT)          \
  X(CUDA_ERROR_MISALIGNED_ADDRESS)      \
  X(CUDA_ERROR_LAUNCH_FAILED)           \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)

const char* error_name(CUresult result) {
  switch (result) {
#define X(name) \
  case name:    \
    return #name;
    TRIODE_NAMED_RESULTS
#undef X
    default:
      return nullptr;
  }
}

// How many devices the environment asks for: TRIODE_VGPU_DEVICES, one if it says nothing.
int device_count() {
  const char* text = std::getenv("TRIODE_VGPU_DEVICES");
  if (text == nullptr) return 1;
  const int count = std::atoi(text);
  return count < 0 || count > triode::vgpu::kMostDevices ? 1 : count;
}

// `body` with that device, if there is one.
template <typename Body>
CUresult answer_for(const char* entry, CUdevice device, Body body) {
  return answer(entry, [&](DriverState& state) {
    const bool is_there = device >= 0 && static_cast<size_t>(device) < state.devices.size();
    return is_there ? body(state, *state.devices[static_cast<size_t>(device)])
                    : CUDA_ERROR_INVALID_DEVICE;
  });
}

// What a context owned goes with it.
void end_context(DriverState& state, VirtualDevice& device) {
  std::erase_if(state.modules, [&](const auto& each) {
    const auto& functions = each.second->functions;
    return !functions.empty() && functions.begin()->second.device == &device;
  });
  std::erase_if(state.streams, [&](const auto& each) { return each.second->device == &device; });
  device.memory = VirtualDevice(device.ordinal).memory;
  device.lost = CUDA_SUCCESS;
  device.context_id = ++state.contexts_made;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuInit(unsigned) {
  return answer(__func__, [](DriverState& state) {
    const int count = device_count();
    if (count == 0) return CUDA_ERROR_NO_DEVICE;
    state.is_initialised = true;
    for (int i = static_cast<int>(state.devices.size()); i < count; ++i) {
      state.devices.push_back(std::make_unique<VirtualDevice>(i));
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return answer(__func__, [&](DriverState& state) {
    *count = static_cast<int>(state.devices.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer_for(__func__, ordinal, [&](DriverState&, VirtualDevice&) {
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

// The name says what it is, so that no report passes for one of a GPU.
CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return answer_for(__func__, device, [&](DriverState&, VirtualDevice&) {
    std::snprintf(name, static_cast<size_t>(size), "Triode virtual GPU (test instrument)");
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return answer_for(__func__, device, [&](DriverState&, VirtualDevice& each) {
    std::memset(uuid->bytes, 'v', sizeof uuid->bytes);
    uuid->bytes[15] = static_cast<char>('0' + each.ordinal);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem(size_t* size_bytes, CUdevice device) {
  return answer_for(__func__, device, [&](DriverState&, VirtualDevice&) {
    *size_bytes = triode::vgpu::kMemoryBytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return answer_for(__func__, device, [&](DriverState&, VirtualDevice&) {
    *value = attribute_value(attribute);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return answer_for(__func__, device, [&](DriverState& state, VirtualDevice& each) {
    if (each.retained++ == 0) each.context_id = ++state.contexts_made;
    *context = &each.context;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return answer_for(__func__, device, [&](DriverState& state, VirtualDevice& each) {
    if (each.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--each.retained == 0) end_context(state, each);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return answer_for(__func__, device, [&](DriverState&, VirtualDevice& each) {
    *flags = 0;
    *active = each.retained > 0 ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

// Frees everything and forgets a fault: what a process of its own would give a test.
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  triode::vgpu::DriverCall call(__func__);
  DriverState& state = call.state();
  if (device < 0 || static_cast<size_t>(device) >= state.devices.size()) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  end_context(state, *state.devices[static_cast<size_t>(device)]);
  state.events.clear();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  triode::vgpu::this_thread().context = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = triode::vgpu::this_thread().context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  const CUcontext context = triode::vgpu::this_thread().context;
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device->ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (context == nullptr) context = triode::vgpu::this_thread().context;
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->device->context_id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return triode::vgpu::answer_in_context(__func__, [&](DriverState&, VirtualDevice&) {
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return triode::vgpu::answer_in_context(
      __func__, [](DriverState& state, VirtualDevice&) { return state.refuse_while_capturing(); });
}

// Kernels here print nothing, and have no other limits either.
CUresult cuCtxGetLimit(size_t* value, CUlimit) {
  *value = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit, size_t) {
  return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

CUresult cuGetErrorName(CUresult result, const char** name) {
  *name = error_name(result);
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char** text) {
  return cuGetErrorName(result, text);
}

// NVIDIA's own libraries talk to their driver by tables that nobody else knows. NVRTC, once it
// finds a driver in the process, asks for one and crashes without this function.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

#pragma GCC visibility pop
}
