// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"

namespace triode::cuda {

// What a gpu lets one block have: decides which configs can launch at all.
struct BlockLimits {
  int64_t smem_bytes = 166912;  // most shared memory of a block
};

// One choice for our Triton matmul.
struct TritonConfig {
  int block_m = 0;
  int block_n = 0;
  int block_k = 0;
  int group_m = 0;  // blocks of rows that run side by side, so that they share b
  int stages = 0;   // loads under way, in tiles
  int warps = 0;    // of a block
};

// Shared memory the pipelined loop takes: each stage but the one being computed holds a tile of a
// and one of b. On recorded A100 timings a config failed exactly where this exceeds the limit.
int64_t triton_smem_bytes(int64_t block_m, int64_t block_n, int64_t block_k, int64_t stages,
                          int64_t element_bytes);

// The configs of our Triton matmul for a problem: block_m, block_n, block_k, group_m, num_stages,
// num_warps. kUnsupported for types that Triton's dot does not take. Needs no CUDA.
Result<Space> triton_space(const Problem& problem, const BlockLimits& limits);

// Reads a config of that space.
TritonConfig triton_config(const Config& config);

}  // namespace triode::cuda
