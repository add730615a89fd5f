// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"

namespace triode::cuda {

// What a gpu lets one block have, and how many blocks run at once: decides which configs can launch
// at all, and which are of use. The defaults are an A100's.
struct BlockLimits {
  int64_t smem_bytes = 166912;      // most shared memory of a block
  int32_t capability = 80;          // 10 x major + minor: 80 of sm_80
  int64_t registers = 65536;        // of a block, and of a multiprocessor
  int64_t resident_threads = 2048;  // of a multiprocessor
  int64_t multiprocessors = 108;
};

// One choice for our Triton matmul.
struct TritonConfig {
  int block_m = 0;
  int block_n = 0;
  int block_k = 0;
  int group_m = 0;             // blocks of rows that run side by side, so that they share b
  int stages = 0;              // loads under way, in tiles
  int warps = 0;               // of a block
  int split_k = 1;             // blocks that share a piece of c, each with a part of k
  bool is_persistent = false;  // no more blocks than run at once; each makes many pieces
  bool uses_tma = false;       // operands come by tensor descriptors
};

// kUnsupported, with the reason, for what our kernel does not do: types, epilogues of batches, and
// sizes of 2^31 and more.
Status check_triton_problem(const Problem& problem);

// Shared memory that the pipelined loop takes, up to some barriers: a tile of a and one of b for
// each stage. Where operands are multiplied from registers, the stage being computed needs none;
// the wide multipliers of sm_90 and sm_100 read theirs from shared memory. On recorded A100 timings
// a config failed exactly where this exceeds the limit; tests/jit_cuda compares it with kernels
// compiled for all three.
int64_t triton_smem_bytes(const TritonConfig& config, const Problem& problem, int32_t capability);

// The configs of our Triton matmul for a problem: block_m, block_n, block_k, group_m, num_stages,
// num_warps, split_k, persistent, tma. Those that could not launch, or whose accumulators alone
// exceed the registers, are not legal. kUnsupported as check_triton_problem(), and for types that
// the gpu cannot multiply. Needs no CUDA.
Result<Space> triton_space(const Problem& problem, const BlockLimits& limits);

// Reads a config of that space.
TritonConfig triton_config(const Config& config);

}  // namespace triode::cuda
