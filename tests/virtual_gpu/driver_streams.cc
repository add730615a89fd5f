// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: streams, events, capture and graphs. What is enqueued is
// done at once, unless its stream is captured; a graph does it at each launch.
#include <utility>

#include "tests/virtual_gpu/driver_state.h"
#include "tests/virtual_gpu/enqueued_work.h"

using triode::vgpu::answer;
using triode::vgpu::answer_in_context;
using triode::vgpu::DriverState;
using triode::vgpu::VirtualDevice;
using triode::vgpu::Work;

namespace {

CUresult make_stream(DriverState& state, VirtualDevice& device, CUstream* stream, unsigned flags,
                     int priority) {
  auto owned = std::make_unique<CUstream_st>();
  owned->device = &device;
  owned->priority = priority;
  owned->is_blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  *stream = owned.get();
  state.streams[owned.get()] = std::move(owned);
  return CUDA_SUCCESS;
}

bool is_captured(const DriverState& state, CUstream stream) {
  return state.streams.count(stream) == 1 && stream->capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult elapsed(const char* entry, float* elapsed_ms, CUevent begin, CUevent end) {
  return answer(entry, [&](DriverState& state) {
    if (state.events.count(begin) == 0 || state.events.count(end) == 0) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (begin->is_captured || end->is_captured) return CUDA_ERROR_CAPTURED_EVENT;
    if (begin->at_ms < 0 || end->at_ms < 0) return CUDA_ERROR_INVALID_HANDLE;
    *elapsed_ms = static_cast<float>(end->at_ms - begin->at_ms);
    return CUDA_SUCCESS;
  });
}

CUresult wait_for(const char* entry, CUevent event) {
  return answer(entry, [&](DriverState& state) {
    if (state.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    return event->is_captured ? CUDA_ERROR_CAPTURED_EVENT : state.refuse_while_capturing();
  });
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    return make_stream(state, device, stream, flags, 0);
  });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    return make_stream(state, device, stream, flags, priority);
  });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return answer(__func__, [&](DriverState& state) {
    if (state.streams.count(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
    *priority = stream->priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy(CUstream stream) {
  return answer(__func__, [&](DriverState& state) {
    return state.streams.erase(stream) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return answer(__func__, [&](DriverState& state) {
    if (!state.knows(stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (is_captured(state, stream)) {
      stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return state.refuse_while_capturing();
  });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice&) {
    auto owned = std::make_unique<CUevent_st>();
    *event = owned.get();
    state.events[owned.get()] = std::move(owned);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent event) {
  return answer(__func__, [&](DriverState& state) {
    return state.events.erase(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return answer(__func__, [&](DriverState& state) {
    if (state.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    event->is_captured = is_captured(state, stream);
    return state.enqueue(stream, [event](DriverState& now) {
      if (now.events.count(event) == 1) event->at_ms = now.now_ms;
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return wait_for(__func__, event);
}

CUresult cuEventQuery(CUevent event) {
  return wait_for(__func__, event);
}

CUresult cuEventElapsedTime(float* elapsed_ms, CUevent begin, CUevent end) {
  return elapsed(__func__, elapsed_ms, begin, end);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return answer(__func__, [&](DriverState& state) {
    // The default stream cannot be captured.
    if (state.streams.count(stream) == 0) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (is_captured(state, stream)) return CUDA_ERROR_ILLEGAL_STATE;
    stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->capture_mode = mode;
    stream->capturer = std::this_thread::get_id();
    stream->graph = {};
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return answer(__func__, [&](DriverState& state) {
    if (!is_captured(state, stream)) return CUDA_ERROR_ILLEGAL_STATE;
    const bool is_spoilt = stream->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (is_spoilt) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto owned = std::make_unique<CUgraph_st>(std::move(stream->graph));
    *graph = owned.get();
    state.graphs[owned.get()] = std::move(owned);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return answer(__func__, [&](DriverState& state) {
    if (!state.knows(stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (state.waits_for_a_captured_one(stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = is_captured(state, stream) ? stream->capture : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, triode::vgpu::this_thread().capture_mode);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  return answer(__func__, [&](DriverState& state) {
    if (state.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_HANDLE;
    auto owned = std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->nodes});
    *executable = owned.get();
    state.executable_graphs[owned.get()] = std::move(owned);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return answer(__func__, [&](DriverState& state) {
    if (state.executable_graphs.count(executable) == 0) return CUDA_ERROR_INVALID_HANDLE;
    for (const Work& node : executable->nodes) {
      if (const CUresult result = state.enqueue(stream, node); result != CUDA_SUCCESS) {
        return result;
      }
    }
    return CUDA_SUCCESS;
  });
}

// As programs of CUDA 12 and before find it.
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* elapsed_ms, CUevent begin, CUevent end) {
  return elapsed(__func__, elapsed_ms, begin, end);
}

// For the stand-in cuBLAS.
CUresult triode_vgpu_enqueue(CUstream stream, double virtual_ms,
                             CUresult (*work)(void* context, TriodeVgpuMemory memory),
                             void* context, void (*release)(void* context)) {
  const std::shared_ptr<void> kept(context, release);
  return answer_in_context("triode_vgpu_enqueue", [&](DriverState& state, VirtualDevice&) {
    return state.enqueue(stream, [=](DriverState& now) {
      now.now_ms += virtual_ms;
      const auto memory = [](const void* self, CUdeviceptr address, size_t size_bytes) -> void* {
        return static_cast<const DriverState*>(self)->bytes_at(address, size_bytes);
      };
      return work(kept.get(), {&now, memory});
    });
  });
}

#pragma GCC visibility pop
}
