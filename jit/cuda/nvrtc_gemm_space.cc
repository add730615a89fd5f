// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm_space.h"

#include <string>

#include "core/dtype.h"

namespace triode::cuda {
namespace {

// Where the parameters stand, as the spaces below add them.
enum Position : size_t { kBlockM, kBlockN, kBlockK, kTileM, kTileN, kStages, kGroupM };

constexpr int kWarp = 32;
constexpr int kMostThreads = 1024;
// Registers of a thread that may hold sums: beyond them the compiler spills, as it needs others
// too.
constexpr int kMostSums = 128;
// Elements between the rows of a tile in shared memory, so that they start in different banks: the
// least that keeps rows of 16-bit elements on 16 bytes.
constexpr int kPadding16Bit = 8;
constexpr int64_t kMostStaticShared = 48 << 10;
constexpr int64_t kMostBatch = 65535;  // the grid's third dimension

bool is_supported(const Problem& problem) {
  if (problem.a_type != problem.b_type || problem.epilogue != Epilogue::kNone) return false;
  if (problem.op != Op::kMm && problem.op != Op::kBmm) return false;
  switch (problem.a_type) {
    case DType::kF32:
    case DType::kF64:
      return problem.c_type == problem.a_type && problem.accumulator == problem.a_type;
    case DType::kF16:
    case DType::kBF16:
      return (problem.c_type == problem.a_type || problem.c_type == DType::kF32) &&
             problem.accumulator == DType::kF32;
    default:
      return false;
  }
}

Space plain_space(const Problem& problem) {
  Space space;
  space.add({"block_m", {32, 64, 128}, {}});
  space.add({"block_n", {32, 64, 128}, {}});
  space.add({"block_k", {8, 16, 32}, {}});
  space.add({"tile_m", {2, 4, 8}, {}});
  space.add({"tile_n", {2, 4, 8}, {}});
  space.add({"stages", {1}, {}});
  space.add({"group_m", {1, 8}, {}});
  space.add_rule("a block has more threads than a device takes, or less than two warps",
                 [problem](const Config& c) {
                   const int threads = threads_per_block(problem, nvrtc_gemm_config(c));
                   return threads <= kMostThreads && threads >= 2 * kWarp;
                 });
  space.add_rule("the tiles do not fit the static shared memory of a block",
                 [problem](const Config& c) {
                   return shared_bytes(problem, nvrtc_gemm_config(c)) <= kMostStaticShared;
                 });
  return space;
}

Space tensor_core_space(const Problem& problem, const BlockLimits& limits) {
  Space space;
  space.add({"block_m", {32, 64, 128, 256}, {}});
  space.add({"block_n", {32, 64, 128, 256}, {}});
  space.add({"block_k", {16, 32, 64}, {}});
  space.add({"tile_m", {16, 32, 64}, {}});
  space.add_rule("the piece of a warp is longer than its block's",
                 [](const Config& c) { return c[kTileM] <= c[kBlockM]; });
  space.add({"tile_n", {16, 32, 64}, {}});
  space.add_rule("the piece of a warp is wider than its block's",
                 [](const Config& c) { return c[kTileN] <= c[kBlockN]; });
  space.add_rule("the sums of a warp do not fit its registers",
                 [](const Config& c) { return c[kTileM] * c[kTileN] / kWarp <= kMostSums; });
  space.add({"stages", {2, 3, 4}, {}});
  space.add({"group_m", {1, 8}, {}});
  space.add_rule("a block has more than 16 warps", [problem](const Config& c) {
    return threads_per_block(problem, nvrtc_gemm_config(c)) <= 16 * kWarp;
  });
  space.add_rule("the stages do not fit the shared memory of a block",
                 [problem, limits](const Config& c) {
                   return shared_bytes(problem, nvrtc_gemm_config(c)) <= limits.smem_bytes;
                 });
  return space;
}

}  // namespace

bool uses_tensor_cores(const Problem& problem) {
  return problem.a_type == DType::kF16 || problem.a_type == DType::kBF16;
}

int threads_per_block(const Problem& problem, const NvrtcGemmConfig& config) {
  const int tiles = (config.block_m / config.tile_m) * (config.block_n / config.tile_n);
  return uses_tensor_cores(problem) ? kWarp * tiles : tiles;
}

int64_t shared_bytes(const Problem& problem, const NvrtcGemmConfig& config) {
  const int64_t bytes = size_bytes(problem.a_type);
  if (!uses_tensor_cores(problem)) {
    return int64_t{config.block_k} * (config.block_m + config.block_n + 2) * bytes;
  }
  const auto tile = [&config](bool is_along_k, int64_t outer) {
    return is_along_k ? outer * (config.block_k + kPadding16Bit)
                      : config.block_k * (outer + kPadding16Bit);
  };
  return config.stages * bytes *
         (tile(!problem.a_transposed, config.block_m) + tile(problem.b_transposed, config.block_n));
}

Result<Space> nvrtc_gemm_space(const Problem& problem, const BlockLimits& limits) {
  TRIODE_TRY(problem.validate());
  if (!is_supported(problem)) {
    return unsupported("our CUDA C++ matmul does not do \"" + to_string(problem) +
                       "\": it takes f32, f64, f16 and bf16, without an epilogue");
  }
  if (problem.m == 0 || problem.n == 0 || problem.batch > kMostBatch) {
    return unsupported("no grid has the shape of \"" + to_string(problem) + "\"");
  }
  return uses_tensor_cores(problem) ? tensor_core_space(problem, limits) : plain_space(problem);
}

NvrtcGemmConfig nvrtc_gemm_config(const Config& config) {
  return {config[kBlockM], config[kBlockN], config[kBlockK], config[kTileM],
          config[kTileN],  config[kStages], config[kGroupM]};
}

}  // namespace triode::cuda
