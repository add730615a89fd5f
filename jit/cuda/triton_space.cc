// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_space.h"

#include <algorithm>
#include <limits>

#include "core/dtype.h"

namespace triode::cuda {
namespace {

// Where the parameters stand, as triton_space() adds them.
enum Position : size_t {
  kBlockM,
  kBlockN,
  kBlockK,
  kGroupM,
  kStages,
  kWarps,
  kSplitK,
  kPersistent,
  kTma
};

constexpr int64_t kLanes = 32;
// Registers that an instruction can name, and the one that is always zero.
constexpr int64_t kMostRegisters = 256;
// One tensor-core instruction of a warp makes a 16 x 8 piece of c.
constexpr int64_t kLeastTilePerWarp = 16 * 8;
// Splitting k pays where the pieces leave multiprocessors idle. Up to this many blocks for each of
// them are allowed: more only add traffic for partial sums.
constexpr int64_t kMostSplitBlocks = 4;
// Tensor descriptors want addresses and rows on multiples of this many bytes.
constexpr int64_t kTmaAlignment = 16;

// Where the product of a tile is made, which decides what else of the gpu it takes.
enum class Multiplier {
  kRegisters,     // mma of one warp, and plain multiplication: operands and sums in registers
  kWarpGroup,     // sm_90, four warps together: operands in shared memory
  kTensorMemory,  // sm_100, four or eight warps: sums in a memory of their own
};

// As Triton chooses, found by compiling some hundred configs for the three.
Multiplier multiplier_of(const TritonConfig& config, DType operands, int32_t capability) {
  if (operands == DType::kF32 || config.warps < 4 || config.block_m < 64) {
    return Multiplier::kRegisters;
  }
  if (capability >= 90 && capability < 100) return Multiplier::kWarpGroup;
  const bool has_tensor_memory = capability >= 100 && capability < 120;
  return has_tensor_memory && config.warps <= 8 ? Multiplier::kTensorMemory
                                                : Multiplier::kRegisters;
}

bool has_supported_types(const Problem& problem) {
  const DType c = problem.c_type;
  const bool is_16_bit = c == DType::kF16 || c == DType::kBF16;
  const bool is_32_bit = c == DType::kF32 || c == DType::kTF32;
  if (problem.b_type != problem.a_type || problem.accumulator != DType::kF32) return false;
  switch (problem.a_type) {
    case DType::kF16:
    case DType::kBF16:
      return c == problem.a_type || c == DType::kF32;
    case DType::kF32:
    case DType::kTF32:
      return is_32_bit;
    case DType::kF8E4M3:
      return is_16_bit || c == DType::kF32;
    default:
      return false;
  }
}

bool can_use_tma(const Problem& problem, const BlockLimits& limits) {
  const int64_t bytes = size_bytes(problem.a_type);
  // In full f32 nothing is gained: the tiles go through registers anyway.
  return limits.capability >= 90 && problem.op != Op::kBmm && problem.a_type != DType::kF32 &&
         problem.alignment_bytes >= kTmaAlignment && problem.lda * bytes % kTmaAlignment == 0 &&
         problem.ldb * bytes % kTmaAlignment == 0;
}

int64_t rows_of_pieces(const Problem& problem, const Config& c) {
  return (problem.m + c[kBlockM] - 1) / c[kBlockM];
}
int64_t columns_of_pieces(const Problem& problem, const Config& c) {
  return (problem.n + c[kBlockN] - 1) / c[kBlockN];
}
int64_t pieces_of(const Problem& problem, const Config& c) {
  return rows_of_pieces(problem, c) * columns_of_pieces(problem, c) * problem.batch;
}

// Whether a smaller block would do the same with less.
bool is_half_empty(int64_t block, int64_t least, int64_t size) {
  return block > least && block / 2 >= size;
}

// A block's accumulators are spread over its threads, and a thread has no more registers than its
// share of the multiprocessor's, nor than instructions can name. Out of tensor memory they come
// once, at the end, so that they may take all of them.
bool fits_registers(const TritonConfig& config, const Problem& problem, const BlockLimits& limits) {
  const int64_t threads = kLanes * config.warps;
  const int64_t accumulators = int64_t{config.block_m} * config.block_n / threads;
  const bool is_at_end =
      multiplier_of(config, problem.a_type, limits.capability) == Multiplier::kTensorMemory;
  return accumulators <= std::min(kMostRegisters, limits.registers / threads) - (is_at_end ? 0 : 1);
}

// The tile of c and how it is made: what shared memory and registers allow.
void add_tile(const Problem& problem, const BlockLimits& limits, Space& space) {
  const int64_t bytes = size_bytes(problem.a_type);
  const int64_t least_k = bytes > 1 ? 16 : 32;
  space.add({"block_m", {16, 32, 64, 128, 256}, {}});
  space.add({"block_n", {16, 32, 64, 128, 256}, {}});
  space.add({"block_k", {16, 32, 64, 128}, {}});
  space.add_rule("half of the block lies outside of the matrices", [problem,
                                                                    least_k](const Config& c) {
    return !is_half_empty(c[kBlockM], 16, problem.m) && !is_half_empty(c[kBlockN], 16, problem.n) &&
           !is_half_empty(c[kBlockK], least_k, problem.k);
  });
  // Eight-bit operands are multiplied in steps of 32 along k.
  space.add_rule("one step of the multiplier is longer than the block of k",
                 [least_k](const Config& c) { return c[kBlockK] >= least_k; });
  space.add({"group_m", {1, 4, 8, 16}, {}});
  // Pieces are taken column by column in any case where the group holds all rows.
  space.add_rule("a smaller group gives the same order of blocks", [problem](const Config& c) {
    const int64_t smaller = c[kGroupM] == 4 ? 1 : c[kGroupM] / 2;
    return c[kGroupM] == 1 ||
           (smaller < rows_of_pieces(problem, c) && columns_of_pieces(problem, c) > 1);
  });
  space.add({"num_stages", {1, 2, 3, 4, 5, 6}, {}});
  space.add({"num_warps", {1, 2, 4, 8, 16}, {}});
  space.add_rule("the tile is too small for its warps", [](const Config& c) {
    return int64_t{c[kBlockM]} * c[kBlockN] >= kLeastTilePerWarp * c[kWarps];
  });
  space.add_rule("the accumulators do not fit the registers of the warps",
                 [problem, limits](const Config& c) {
                   return fits_registers(triton_config(c), problem, limits);
                 });
  space.add_rule(
      "the stages do not fit the shared memory of a block", [problem, limits](const Config& c) {
        return triton_smem_bytes(triton_config(c), problem, limits.capability) <= limits.smem_bytes;
      });
}

// How blocks share the work.
void add_sharing(const Problem& problem, const BlockLimits& limits, Space& space) {
  space.add({"split_k", {1, 2, 4, 8, 16, 32}, {}});
  space.add_rule("there are fewer blocks of k than blocks to share them",
                 [problem](const Config& c) {
                   return c[kSplitK] == 1 || int64_t{c[kSplitK] - 1} * c[kBlockK] < problem.k;
                 });
  space.add_rule(
      "without a split every multiprocessor has work already", [problem, limits](const Config& c) {
        return c[kSplitK] == 1 ||
               pieces_of(problem, c) * c[kSplitK] <= kMostSplitBlocks * limits.multiprocessors;
      });
  space.add({"persistent", {0, 1}, {}});
  space.add_rule("a persistent block does not share its piece",
                 [](const Config& c) { return c[kPersistent] == 0 || c[kSplitK] == 1; });
  space.add_rule("a persistent block has a single piece", [problem, limits](const Config& c) {
    return c[kPersistent] == 0 || pieces_of(problem, c) > limits.multiprocessors;
  });
  const bool has_tma = can_use_tma(problem, limits);
  space.add({"tma", has_tma ? std::vector<int32_t>{0, 1} : std::vector<int32_t>{0}, {}});
  // Each block makes its own descriptors, which takes about a microsecond: too long for one piece.
  space.add_rule("descriptors are for persistent blocks",
                 [](const Config& c) { return c[kTma] == 0 || c[kPersistent] == 1; });
}

}  // namespace

Status check_triton_problem(const Problem& problem) {
  TRIODE_TRY(problem.validate());
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (!has_supported_types(problem)) {
    return unsupported("our Triton matmul does not take the types of \"" + to_string(problem) +
                       "\"");
  }
  if (problem.epilogue != Epilogue::kNone && problem.op != Op::kAddmm) {
    return unsupported("our Triton matmul has an epilogue for addmm alone, not for \"" +
                       to_string(problem) + "\"");
  }
  if (std::max({problem.m, problem.n, problem.k, problem.batch}) > kMost) {
    return unsupported("our Triton matmul takes sizes below 2^31, not \"" + to_string(problem) +
                       "\"");
  }
  return {};
}

int64_t triton_smem_bytes(const TritonConfig& config, const Problem& problem, int32_t capability) {
  const bool is_from_registers =
      multiplier_of(config, problem.a_type, capability) == Multiplier::kRegisters;
  const int64_t tiles = is_from_registers ? std::max(config.stages - 1, 1) : config.stages;
  return tiles * (config.block_m + config.block_n) * config.block_k * size_bytes(problem.a_type);
}

Result<Space> triton_space(const Problem& problem, const BlockLimits& limits) {
  TRIODE_TRY(check_triton_problem(problem));
  if (problem.a_type == DType::kF8E4M3 && limits.capability < 89) {
    return unsupported("sm_" + std::to_string(limits.capability) +
                       " does not multiply f8e4m3; sm_89 and later do");
  }
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0 || problem.k == 0) {
    return unsupported("an empty product leaves nothing to choose: \"" + to_string(problem) + "\"");
  }
  Space space;
  add_tile(problem, limits, space);
  add_sharing(problem, limits, space);
  return space;
}

TritonConfig triton_config(const Config& config) {
  return {config[kBlockM], config[kBlockN],          config[kBlockK],
          config[kGroupM], config[kStages],          config[kWarps],
          config[kSplitK], config[kPersistent] == 1, config[kTma] == 1};
}

}  // namespace triode::cuda
