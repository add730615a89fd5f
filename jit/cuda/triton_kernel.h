// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode::cuda {

// What a parameter of a compiled kernel stands for. Named as in jit/cuda/triton/matmul.py.
enum class TritonRole : uint8_t {
  kA,  // addresses on the device
  kB,
  kC,
  kBias,    // n elements of c's type
  kAScale,  // one f32 each: 8-bit operands are multiplied by them. The others have none
  kBScale,
  kWorkspace,  // partial sums, see triton_workspace_bytes()
  kBatch,      // 32 bits
  kM,
  kN,
  kK,
  kLda,  // 64 bits, in elements
  kLdb,
  kLdc,
  kAStride,  // of a batch
  kBStride,
  kCStride,
  kAlpha,  // f32
  kBeta,
  kGlobalScratch,   // Triton's own: tensor descriptors of each block, in the workspace too
  kProfileScratch,  // always null
};
inline constexpr size_t kTritonRoles = static_cast<size_t>(TritonRole::kProfileScratch) + 1;

// "a", "a_scale", "lda".
std::string_view to_string(TritonRole role);
Result<TritonRole> parse_triton_role(std::string_view text);

struct TritonParameter {
  TritonRole role = TritonRole::kA;
  uint32_t offset = 0;  // in the buffer of all parameters
  uint32_t bytes = 0;

  bool operator==(const TritonParameter&) const = default;
};

// One compiled function of a matmul. All of it is as the compiler answered, parameters included:
// what is constant for a problem (no bias, alpha 1) has left the list.
struct TritonFunction {
  std::string entry;
  uint32_t threads = 0;        // of a block
  uint32_t shared_bytes = 0;   // dynamic; above 48 KiB the function's limit must be raised first
  uint32_t registers = 0;      // of a thread
  uint32_t spill_bytes = 0;    // of a thread
  uint32_t scratch_bytes = 0;  // global memory for each block: tensor descriptors
  int32_t block_m = 0;         // the piece of c that a block makes, or one after another
  int32_t block_n = 0;
  int32_t splits = 1;          // blocks that share a piece, each with a part of k
  bool is_persistent = false;  // no more blocks than run at the same time, each makes many pieces
  std::vector<TritonParameter> parameters;  // in order; the last two are Triton's own
  std::string ptx;
  std::string cubin;

  uint32_t parameter_bytes() const;  // of the whole buffer

  bool operator==(const TritonFunction&) const = default;
};

// Our Triton matmul, compiled. Sizes and strides are parameters; what was promised of them
// (divisible by 16, k a multiple of the block) holds for the problem it was compiled for, and for
// others with the same triton_request(). How to launch it: jit/cuda/triton_launch.h.
struct TritonKernel {
  // To be launched one after another on one stream: the matmul, and where k is split among blocks
  // the reduction, which adds up the workspace in a fixed order.
  std::vector<TritonFunction> functions;
  std::string toolchain;  // "triton 3.9.0 ptxas 12.9.86 source 0123456789abcdef"

  bool operator==(const TritonKernel&) const = default;
};

// Of the code and how it is launched, so that a plan can name what was checked.
uint64_t triton_digest(const TritonKernel& kernel);

// Bytes for the cache's artifacts, with a checksum, and back. About 20 KB a function; microseconds.
// kCorrupt for bytes that are damaged, cut off, or of another version.
std::string serialise(const TritonKernel& kernel);
Result<TritonKernel> deserialise_triton_kernel(std::string_view bytes);

}  // namespace triode::cuda
