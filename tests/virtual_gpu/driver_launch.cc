// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: launches. A launch runs to its end before it returns
// (or is captured); a fault is answered by the calls after it, as a device would.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"

using triode::vgpu::answer_in_context;
using triode::vgpu::DriverState;
using triode::vgpu::Fault;
using triode::vgpu::FaultKind;
using triode::vgpu::LaunchCounts;
using triode::vgpu::LaunchOptions;
using triode::vgpu::VirtualDevice;

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
  VirtualDevice& device = *function.device;
  const auto report = function.kernel.launch(device.memory, options);
  state.now_ms += virtual_ms(report.counts);
  if (!report.fault) return CUDA_SUCCESS;
  std::fprintf(stderr, "virtual GPU: %s\n", report.fault->message.c_str());
  const CUresult result = result_of(report.fault->kind);
  if (report.fault->kind == FaultKind::kBadLaunch) return result;  // nothing ran; all is well
  device.lost = result;
  return CUDA_SUCCESS;
}

CUresult enqueue_launch(DriverState& state, const VirtualDevice& device, CUfunction function,
                        const CUlaunchConfig& config, void** parameters, void** extra) {
  if (state.find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (function->device != &device) return CUDA_ERROR_INVALID_CONTEXT;
  const triode::vgpu::Entry& entry = function->kernel.entry();
  const bool lacks_parameters = parameters == nullptr && !entry.parameters.empty();
  if (extra != nullptr || lacks_parameters ||
      config.sharedMemBytes > function->most_dynamic_shared) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  LaunchOptions options;
  options.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  options.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  options.dynamic_shared_bytes = config.sharedMemBytes;
  options.parameters = gather_parameters(entry, parameters);
  options.scheduling_seed = scheduling_seed();
  return state.enqueue(config.hStream, [function, options](DriverState& now) {
    const bool is_there = now.find(function) != nullptr;
    return is_there ? launch(now, *function, options) : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    const CUlaunchConfig config = {.gridDimX = grid_x,
                                   .gridDimY = grid_y,
                                   .gridDimZ = grid_z,
                                   .blockDimX = block_x,
                                   .blockDimY = block_y,
                                   .blockDimZ = block_z,
                                   .sharedMemBytes = shared_bytes,
                                   .hStream = stream,
                                   .attrs = nullptr,
                                   .numAttrs = 0};
    return enqueue_launch(state, device, function, config, parameters, extra);
  });
}

// As Triton's own launcher calls it. Attributes (clusters, dependent launches) it knows none.
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    if (config->numAttrs != 0) return CUDA_ERROR_NOT_SUPPORTED;
    return enqueue_launch(state, device, function, *config, parameters, extra);
  });
}

#pragma GCC visibility pop
}
