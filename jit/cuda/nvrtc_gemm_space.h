// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "jit/cuda/triton_space.h"

namespace triode::cuda {

// One choice for our CUDA C++ matmul. Blocks of threads make block_m x block_n pieces of c, in
// steps of block_k along k.
struct NvrtcGemmConfig {
  int block_m = 0;
  int block_n = 0;
  int block_k = 0;
  int tile_m = 0;  // what one thread makes of the piece; on tensor cores, what one warp makes
  int tile_n = 0;
  int stages = 1;  // tiles of a and b in shared memory at once; 1 without tensor cores
  int group_m =
      1;  // blocks of rows that run side by side, so that they share b in the second level

  bool operator==(const NvrtcGemmConfig&) const = default;
};

// Whether the problem runs on tensor cores (f16 and bf16) rather than plain multipliers.
bool uses_tensor_cores(const Problem& problem);

int threads_per_block(const Problem& problem, const NvrtcGemmConfig& config);
// Shared memory of one block. Static without tensor cores, dynamic with.
int64_t shared_bytes(const Problem& problem, const NvrtcGemmConfig& config);

// The configs of our CUDA C++ matmul: mm and bmm of f32, f64, f16 and bf16, with c of the same type
// or, for the 16-bit types, f32. kUnsupported for anything else. Needs no CUDA.
Result<Space> nvrtc_gemm_space(const Problem& problem, const BlockLimits& limits);

// Reads a config of that space.
NvrtcGemmConfig nvrtc_gemm_config(const Config& config);

}  // namespace triode::cuda
