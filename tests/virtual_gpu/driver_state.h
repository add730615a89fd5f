// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "tests/virtual_gpu/device_memory.h"
#include "tests/virtual_gpu/injected_faults.h"
#include "tests/virtual_gpu/kernel.h"

// What the driver's opaque handles are here.
struct CUfunc_st {
  triode::vgpu::Kernel kernel;
  uint32_t most_dynamic_shared;
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
};
struct CUevent_st {
  double at_ms = -1;  // virtual time; negative: never recorded
};
struct CUctx_st {};
struct CUstream_st {};

namespace triode::vgpu {

// Of an A100, the device that the virtual one says it is.
inline constexpr uint32_t kSharedPerBlock = 48 << 10;
inline constexpr uint32_t kSharedPerBlockOptin = 163 << 10;
inline constexpr size_t kMemoryBytes = size_t{1} << 30;

// Handles that were given out and not taken back: others are answered CUDA_ERROR_INVALID_HANDLE
// where a real driver may crash.
template <typename T>
using Handles = std::map<const T*, std::unique_ptr<T>>;

// The one virtual device of a process, behind the entry points of the stand-in libcuda.so.1.
struct DriverState {
  bool is_initialised = false;
  CUresult lost = CUDA_SUCCESS;  // after a fault of a kernel every call fails, as with a device
  DeviceMemory memory;
  CUctx_st context;
  Handles<CUmod_st> modules;
  Handles<CUstream_st> streams;
  Handles<CUevent_st> events;
  double now_ms = 0;  // from counts of instructions: repeatable, and no GPU's time

  CUfunc_st* find(CUfunction function);
};

// One call of an entry point: holds the driver's lock as long as it lives.
class DriverCall {
 public:
  explicit DriverCall(const char* entry);

  // What the call must answer at once: by TRIODE_VGPU_FAULTS, before cuInit, or after a fault.
  // CUDA_SUCCESS: it may go on.
  CUresult refusal() const { return refusal_; }
  DriverState& state() { return state_; }

 private:
  std::unique_lock<std::mutex> lock_;
  DriverState& state_;
  CUresult refusal_ = CUDA_SUCCESS;
};

// What an entry point does: `body` with the driver's state, unless the call is refused. `entry` is
// the entry point's name.
template <typename Body>
CUresult answer(const char* entry, Body body) {
  DriverCall call(entry);
  if (call.refusal() != CUDA_SUCCESS) return call.refusal();
  try {
    return body(call.state());
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

}  // namespace triode::vgpu
