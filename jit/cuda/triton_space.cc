// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_space.h"

#include <algorithm>
#include <array>

#include "core/config.h"
#include "core/dtype.h"

namespace triode::cuda {
namespace {

// Where the parameters stand, as triton_space() adds them.
enum Position : size_t { kBlockM, kBlockN, kBlockK, kGroupM, kStages, kWarps };

// Registers a thread can have; accumulators beyond them spill.
constexpr int64_t kMostAccumulators = 256;
// One tensor-core instruction of a warp makes a 16 x 8 piece of c.
constexpr int64_t kLeastTilePerWarp = 16 * 8;

bool is_known(DType type) {
  constexpr std::array kKnown = {DType::kF16,  DType::kBF16, DType::kF32,
                                 DType::kTF32, DType::kI8,   DType::kF8E4M3};
  return std::find(kKnown.begin(), kKnown.end(), type) != kKnown.end();
}

}  // namespace

int64_t triton_smem_bytes(int64_t block_m, int64_t block_n, int64_t block_k, int64_t stages,
                          int64_t element_bytes) {
  return std::max<int64_t>(stages - 1, 1) * (block_m + block_n) * block_k * element_bytes;
}

Result<Space> triton_space(const Problem& problem, const BlockLimits& limits) {
  TRIODE_TRY(problem.validate());
  if (!is_known(problem.a_type) || problem.b_type != problem.a_type) {
    return unsupported("Triton's dot does not take the types of \"" + to_string(problem) + "\"");
  }
  if (problem.m == 0 || problem.n == 0 || problem.k == 0) {
    return unsupported("an empty product leaves nothing to choose: \"" + to_string(problem) + "\"");
  }
  const int64_t bytes = size_bytes(problem.a_type);
  Space space;
  space.add({"block_m", {16, 32, 64, 128, 256}, {}});
  space.add({"block_n", {16, 32, 64, 128, 256}, {}});
  space.add({"block_k", {16, 32, 64, 128}, {}});
  // Eight-bit operands are multiplied in steps of 32 along k.
  space.add_rule("one step of the multiplier is longer than the block of k",
                 [bytes](const Config& c) { return bytes > 1 || c[kBlockK] >= 32; });
  space.add({"group_m", {1, 4, 8, 16}, {}});
  space.add({"num_stages", {1, 2, 3, 4, 5, 6}, {}});
  space.add_rule(
      "the stages do not fit the shared memory of a block", [bytes, limits](const Config& c) {
        return triton_smem_bytes(c[kBlockM], c[kBlockN], c[kBlockK], c[kStages], bytes) <=
               limits.smem_bytes;
      });
  space.add({"num_warps", {1, 2, 4, 8, 16}, {}});
  space.add_rule(
      "the tile is too small for its warps, or too large for their registers", [](const Config& c) {
        const int64_t tile = int64_t{c[kBlockM]} * c[kBlockN];
        return tile >= kLeastTilePerWarp * c[kWarps] && tile <= kMostAccumulators * 32 * c[kWarps];
      });
  return space;
}

TritonConfig triton_config(const Config& config) {
  return {config[kBlockM], config[kBlockN], config[kBlockK],
          config[kGroupM], config[kStages], config[kWarps]};
}

}  // namespace triode::cuda
