// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_launch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace triode::cuda {
namespace {

// The driver keeps this much of a multiprocessor's shared memory for each block (1 KiB since
// sm_80).
constexpr int64_t kReservedSharedBytes = 1024;
// Registers are handed out to a warp in units of this many.
constexpr int64_t kRegisterUnit = 256;
constexpr int64_t kLanes = 32;

int64_t pieces_of(const TritonFunction& function, const Problem& problem) {
  const int64_t rows = (problem.m + function.block_m - 1) / function.block_m;
  const int64_t columns = (problem.n + function.block_n - 1) / function.block_n;
  return rows * columns * problem.batch * function.splits;
}

// Blocks that a multiprocessor runs at the same time.
int64_t resident_blocks(const TritonFunction& function, const BlockLimits& limits) {
  const int64_t warps = function.threads / kLanes;
  const int64_t warp_registers =
      (function.registers * kLanes + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  const int64_t by_registers = limits.registers / std::max<int64_t>(warps * warp_registers, 1);
  const int64_t by_shared_memory =
      (limits.smem_bytes + kReservedSharedBytes) / (function.shared_bytes + kReservedSharedBytes);
  const int64_t by_threads = limits.resident_threads / std::max<int64_t>(function.threads, 1);
  return std::max<int64_t>(std::min({by_registers, by_shared_memory, by_threads}), 1);
}

uint64_t value_of(TritonRole role, const TritonFunction& function, const Problem& problem,
                  const TritonValues& values) {
  switch (role) {
    case TritonRole::kA:
      return values.a;
    case TritonRole::kB:
      return values.b;
    case TritonRole::kC:
      return values.c;
    case TritonRole::kBias:
      return values.bias;
    case TritonRole::kAScale:
      return values.a_scale;
    case TritonRole::kBScale:
      return values.b_scale;
    case TritonRole::kWorkspace:
      return values.workspace;
    case TritonRole::kBatch:
      return static_cast<uint64_t>(problem.batch);
    case TritonRole::kM:
      return static_cast<uint64_t>(problem.m);
    case TritonRole::kN:
      return static_cast<uint64_t>(problem.n);
    case TritonRole::kK:
      return static_cast<uint64_t>(problem.k);
    case TritonRole::kLda:
      return static_cast<uint64_t>(problem.lda);
    case TritonRole::kLdb:
      return static_cast<uint64_t>(problem.ldb);
    case TritonRole::kLdc:
      return static_cast<uint64_t>(problem.ldc);
    case TritonRole::kAStride:
      return static_cast<uint64_t>(problem.a_batch_stride);
    case TritonRole::kBStride:
      return static_cast<uint64_t>(problem.b_batch_stride);
    case TritonRole::kCStride:
      return static_cast<uint64_t>(problem.c_batch_stride);
    case TritonRole::kAlpha:
      return std::bit_cast<uint32_t>(values.alpha);
    case TritonRole::kBeta:
      return std::bit_cast<uint32_t>(values.beta);
    case TritonRole::kGlobalScratch:
      return function.scratch_bytes == 0 ? 0 : values.workspace;
    case TritonRole::kProfileScratch:
      return 0;
  }
  return 0;
}

}  // namespace

uint32_t triton_grid(const TritonFunction& function, const Problem& problem,
                     const BlockLimits& limits) {
  int64_t blocks = pieces_of(function, problem);
  if (function.is_persistent) {
    blocks = std::min(blocks, limits.multiprocessors * resident_blocks(function, limits));
  }
  return static_cast<uint32_t>(blocks);
}

size_t triton_workspace_bytes(const TritonKernel& kernel, const Problem& problem,
                              const BlockLimits& limits) {
  size_t bytes = 0;
  for (const TritonFunction& function : kernel.functions) {
    if (function.splits > 1) {
      bytes += static_cast<size_t>(problem.batch * problem.m * problem.n) *
               static_cast<size_t>(function.splits) * sizeof(float);
    }
    bytes += size_t{function.scratch_bytes} * triton_grid(function, problem, limits);
  }
  return bytes;
}

std::vector<std::byte> triton_parameters(const TritonFunction& function, const Problem& problem,
                                         const TritonValues& values) {
  std::vector<std::byte> buffer(function.parameter_bytes());
  for (const TritonParameter& parameter : function.parameters) {
    // Little-endian on both sides: the low bytes are the value of a narrow one.
    const uint64_t value = value_of(parameter.role, function, problem, values);
    std::memcpy(&buffer[parameter.offset], &value, std::min<size_t>(parameter.bytes, sizeof value));
  }
  return buffer;
}

}  // namespace triode::cuda
