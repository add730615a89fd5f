// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: launches, streams and events. A launch runs to its end
// before it returns; a fault is answered by the calls after it, as a device would.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer;
using triode::vgpu::DriverState;
using triode::vgpu::Fault;
using triode::vgpu::FaultKind;
using triode::vgpu::LaunchCounts;
using triode::vgpu::LaunchOptions;

namespace {

// Virtual milliseconds: repeatable, for tests of what reads times. No GPU's.
constexpr double kLaunchMs = 0.002;
constexpr double kInstructionMs = 1e-6;
constexpr double kMmaMs = 16e-6;

double virtual_ms(const LaunchCounts& counts) {
  return kLaunchMs + kInstructionMs * static_cast<double>(counts.warp_instructions) +
         kMmaMs * static_cast<double>(counts.mmas);
}

// The scheduling mode, as LaunchOptions::scheduling_seed.
uint64_t scheduling_seed() {
  const char* text = std::getenv("TRIODE_VGPU_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

CUresult result_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FaultKind::kMisalignedAddress:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FaultKind::kDeadlock:
    case FaultKind::kTimeout:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case FaultKind::kBadInstruction:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case FaultKind::kRace:
      return CUDA_ERROR_LAUNCH_FAILED;
    case FaultKind::kBadLaunch:
      break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

std::vector<std::byte> gather_parameters(const triode::vgpu::Entry& entry, void** values) {
  std::vector<std::byte> bytes(entry.parameter_bytes);
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const auto& parameter = entry.parameters[i];
    std::memcpy(bytes.data() + parameter.offset, values[i], parameter.size_bytes);
  }
  return bytes;
}

CUresult launch(DriverState& state, const CUfunc_st& function, const LaunchOptions& options) {
  const auto report = function.kernel.launch(state.memory, options);
  state.now_ms += virtual_ms(report.counts);
  if (!report.fault) return CUDA_SUCCESS;
  std::fprintf(stderr, "virtual GPU: %s\n", report.fault->message.c_str());
  const CUresult result = result_of(report.fault->kind);
  if (report.fault->kind == FaultKind::kBadLaunch) return result;  // nothing ran; all is well
  state.lost = result;
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream, void** parameters, void** extra) {
  return answer(__func__, [&](DriverState& state) {
    if (state.find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const triode::vgpu::Entry& entry = function->kernel.entry();
    const bool lacks_parameters = parameters == nullptr && !entry.parameters.empty();
    if (extra != nullptr || lacks_parameters || shared_bytes > function->most_dynamic_shared) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    LaunchOptions options;
    options.grid = {grid_x, grid_y, grid_z};
    options.block = {block_x, block_y, block_z};
    options.dynamic_shared_bytes = shared_bytes;
    options.parameters = gather_parameters(entry, parameters);
    options.scheduling_seed = scheduling_seed();
    return launch(state, *function, options);
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return answer(__func__, [&](DriverState& state) {
    auto owned = std::make_unique<CUstream_st>();
    *stream = owned.get();
    state.streams[owned.get()] = std::move(owned);
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
    const bool is_known = stream == nullptr || state.streams.count(stream) == 1;
    return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  return answer(__func__, [&](DriverState& state) {
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

CUresult cuEventRecord(CUevent event, CUstream) {
  return answer(__func__, [&](DriverState& state) {
    if (state.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    event->at_ms = state.now_ms;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return answer(__func__, [&](DriverState& state) {
    return state.events.count(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventElapsedTime(float* elapsed_ms, CUevent begin, CUevent end) {
  return answer(__func__, [&](DriverState& state) {
    if (state.events.count(begin) == 0 || state.events.count(end) == 0 || begin->at_ms < 0 ||
        end->at_ms < 0) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    *elapsed_ms = static_cast<float>(end->at_ms - begin->at_ms);
    return CUDA_SUCCESS;
  });
}

#pragma GCC visibility pop
}
