// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_space.h"

namespace triode::cuda {

// How a TritonKernel is launched: for each of its functions in order, cuLaunchKernel with
// triton_grid() x 1 x 1 blocks, the function's threads and shared memory, and the buffer that
// triton_parameters() fills (CU_LAUNCH_PARAM_BUFFER_POINTER, or a pointer to each parameter in it).
// A caller that launches often keeps the buffer and overwrites what changes from call to call, at
// the offsets of the function's parameters.

// Blocks along the grid's first dimension; the others are 1. The same limits as for the workspace.
uint32_t triton_grid(const TritonFunction& function, const Problem& problem,
                     const BlockLimits& limits);

// Device memory that one running call needs, aligned to kTritonWorkspaceAlignment; 0 for most
// configs. Its content before the call does not matter, and calls in flight may not share one.
inline constexpr size_t kTritonWorkspaceAlignment = 256;
size_t triton_workspace_bytes(const TritonKernel& kernel, const Problem& problem,
                              const BlockLimits& limits);

// What the Problem does not say. Addresses are the device's; those that the kernel has no parameter
// for may be 0.
struct TritonValues {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  uint64_t bias = 0;
  uint64_t a_scale = 0;  // of f8e4m3 operands, both needed: the address of a 1 where there is none
  uint64_t b_scale = 0;
  uint64_t workspace = 0;
  float alpha = 1;
  float beta = 0;
};

// The buffer of one function's parameters.
std::vector<std::byte> triton_parameters(const TritonFunction& function, const Problem& problem,
                                         const TritonValues& values);

}  // namespace triode::cuda
