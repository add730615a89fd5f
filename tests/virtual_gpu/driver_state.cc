// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/driver_state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace triode::vgpu {
namespace {

std::mutex& driver_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Never destroyed: programs call until their very end.
DriverState& driver_state() {
  static auto* const state = new DriverState;
  return *state;
}

// The faults that the environment asks for now. Counts start anew when the text changes.
InjectedFaults& current_faults() {
  static std::string text;
  static InjectedFaults faults;
  const char* variable = std::getenv("TRIODE_VGPU_FAULTS");
  const std::string_view now = variable == nullptr ? "" : variable;
  if (now == text) return faults;
  text = now;
  Result<InjectedFaults> parsed = InjectedFaults::parse(text);
  if (!parsed.ok()) {
    // A test that asked for a fault in words that say nothing would test nothing.
    std::fprintf(stderr, "virtual GPU: %s\n", parsed.status().to_string().c_str());
    std::abort();
  }
  faults = *parsed;
  return faults;
}

// Errors of kernels, after which nothing runs in their context any more.
bool loses_context(CUresult result) {
  return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
         result == CUDA_ERROR_ILLEGAL_INSTRUCTION || result == CUDA_ERROR_MISALIGNED_ADDRESS ||
         result == CUDA_ERROR_LAUNCH_FAILED;
}

bool is_default(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

bool is_captured(const CUstream_st& stream) {
  return stream.capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

// It is captured, and work on the default stream would have to come after it.
bool makes_the_default_wait(const CUstream_st& stream) {
  return is_captured(stream) && stream.is_blocking && stream.device == current_device();
}

// What forbids this thread an unsafe call, by the driver's rules.
bool forbids_unsafe_calls(const CUstream_st& stream) {
  const CUstreamCaptureMode thread_mode = this_thread().capture_mode;
  if (!is_captured(stream) || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  const bool is_own = stream.capturer == std::this_thread::get_id();
  if (is_own) return stream.capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         stream.capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

}  // namespace

ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

VirtualDevice* current_device() {
  const CUcontext context = this_thread().context;
  return context == nullptr || context->device->retained == 0 ? nullptr : context->device;
}

CUfunc_st* DriverState::find(CUfunction function) {
  for (const auto& [handle, module] : modules) {
    for (auto& [name, each] : module->functions) {
      if (&each == function) return &each;
    }
  }
  return nullptr;
}

bool DriverState::knows(CUstream stream) const {
  return is_default(stream) || streams.count(stream) == 1;
}

std::byte* DriverState::bytes_at(CUdeviceptr address, size_t size_bytes) const {
  for (const auto& device : devices) {
    if (device->holds(address)) return device->memory.at(address, size_bytes);
  }
  return nullptr;
}

CUresult DriverState::enqueue(CUstream stream, Work work) {
  if (!knows(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (!is_default(stream) && is_captured(*stream)) {
    if (stream->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    stream->graph.nodes.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  if (is_default(stream)) {
    for (const auto& [handle, each] : streams) {
      if (!makes_the_default_wait(*each)) continue;
      each->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  return work(*this);
}

bool DriverState::waits_for_a_captured_one(CUstream stream) const {
  return is_default(stream) && std::any_of(streams.begin(), streams.end(), [](const auto& each) {
           return makes_the_default_wait(*each.second);
         });
}

CUresult DriverState::refuse_while_capturing() {
  CUresult result = CUDA_SUCCESS;
  for (const auto& [handle, stream] : streams) {
    if (!forbids_unsafe_calls(*stream)) continue;
    stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

DriverCall::DriverCall(const char* entry) : lock_(driver_mutex()), state_(driver_state()) {
  const uint32_t injected = current_faults().next(entry);
  if (injected == InjectedFaults::kHang) {
    lock_.unlock();  // only the caller hangs
    for (;;) pause();
  }
  refusal_ = static_cast<CUresult>(injected);
  VirtualDevice* const device = current_device();
  if (device != nullptr && loses_context(refusal_)) device->lost = refusal_;
  if (refusal_ != CUDA_SUCCESS || without_version(entry) == "cuInit") return;
  // What is asked of devices is asked of no context.
  const bool is_in_context = device != nullptr && !without_version(entry).starts_with("cuDevice");
  refusal_ = !state_.is_initialised ? CUDA_ERROR_NOT_INITIALIZED
             : is_in_context        ? device->lost
                                    : CUDA_SUCCESS;
}

}  // namespace triode::vgpu
