// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/virtual_gpu/device_memory.h"
#include "tests/virtual_gpu/injected_faults.h"
#include "tests/virtual_gpu/kernel.h"

namespace triode::vgpu {
struct VirtualDevice;
struct DriverState;
// What a stream does when its turn comes.
using Work = std::function<CUresult(DriverState&)>;
}  // namespace triode::vgpu

// What the driver's opaque handles are here.
struct CUctx_st {
  triode::vgpu::VirtualDevice* device = nullptr;
};
struct CUfunc_st {
  triode::vgpu::Kernel kernel;
  uint32_t most_dynamic_shared;
  triode::vgpu::VirtualDevice* device;
};
struct CUmod_st {
  std::map<std::string, CUfunc_st> functions;
};
struct CUevent_st {
  double at_ms = -1;         // virtual time; negative: never recorded
  bool is_captured = false;  // recorded last in a stream that was being captured
};
struct CUgraph_st {
  std::vector<triode::vgpu::Work> nodes;
};
struct CUgraphExec_st {
  std::vector<triode::vgpu::Work> nodes;
};
struct CUstream_st {
  triode::vgpu::VirtualDevice* device = nullptr;
  int priority = 0;
  bool is_blocking = true;  // waits for the default stream, and it for this one
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id capturer;
  CUgraph_st graph;  // what was captured so far
};

namespace triode::vgpu {

// Of an A100, the device that the virtual one says it is.
inline constexpr uint32_t kSharedPerBlock = 48 << 10;
inline constexpr uint32_t kSharedPerBlockOptin = 163 << 10;
inline constexpr size_t kMemoryBytes = size_t{1} << 30;
inline constexpr int kMostDevices = 2;

// Handles that were given out and not taken back: others are answered CUDA_ERROR_INVALID_HANDLE
// where a real driver may crash.
template <typename T>
using Handles = std::map<const T*, std::unique_ptr<T>>;

struct VirtualDevice {
  explicit VirtualDevice(int number)
      : ordinal(number),
        memory(kFirstAddress + kAddressesPerDevice * static_cast<uint64_t>(number)) {
    context.device = this;
  }
  static constexpr uint64_t kFirstAddress = 0x7a0000000000;
  static constexpr uint64_t kAddressesPerDevice = uint64_t{1} << 40;
  bool holds(uint64_t address) const {
    const uint64_t first = kFirstAddress + kAddressesPerDevice * static_cast<uint64_t>(ordinal);
    return address >= first && address - first < kAddressesPerDevice;
  }

  int ordinal;
  DeviceMemory memory;
  CUctx_st context;              // the primary one; there are no others
  int retained = 0;              // how often
  uint64_t context_id = 0;       // another one each time it comes to life
  CUresult lost = CUDA_SUCCESS;  // after a fault of a kernel every call fails, as with a device
};

// The virtual devices of a process, behind the entry points of the stand-in libcuda.so.1.
struct DriverState {
  bool is_initialised = false;
  std::vector<std::unique_ptr<VirtualDevice>> devices;
  Handles<CUmod_st> modules;
  Handles<CUstream_st> streams;
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> executable_graphs;
  double now_ms = 0;  // from counts of instructions: repeatable, and no GPU's time
  uint64_t contexts_made = 0;

  CUfunc_st* find(CUfunction function);
  bool knows(CUstream stream) const;  // the default stream, by any of its names, too
  // Null if no device holds all of the bytes in one allocation.
  std::byte* bytes_at(CUdeviceptr address, size_t size_bytes) const;

  // Does the work, which has its turn at once; while the stream is captured it goes into the graph
  // and is done by each launch of that. Work on the default stream while a blocking one is captured
  // is refused, and spoils the capture, as with a driver.
  CUresult enqueue(CUstream stream, Work work);
  // Whether it is the default stream, and a blocking one of the thread's device is captured.
  bool waits_for_a_captured_one(CUstream stream) const;
  // Whether a call that is unsafe while a stream is captured (it allocates, or waits) may come from
  // this thread now, by the modes of the captures and of the thread. If not, those are spoilt.
  CUresult refuse_while_capturing();
};

// Of the calling thread.
struct ThreadState {
  CUcontext context = nullptr;
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
ThreadState& this_thread();
// The device of the thread's context; null if it has none.
VirtualDevice* current_device();

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

// The same for what needs a context of the calling thread.
template <typename Body>
CUresult answer_in_context(const char* entry, Body body) {
  return answer(entry, [&](DriverState& state) {
    VirtualDevice* const device = current_device();
    return device == nullptr ? CUDA_ERROR_INVALID_CONTEXT : body(state, *device);
  });
}

}  // namespace triode::vgpu
