// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_gemm.h"

#include <limits>
#include <string>

#include "core/dtype.h"
#include "jit/cuda/nvrtc_gemm_text.h"

namespace triode::cuda {
namespace {

constexpr int64_t kVectorBytes = 16;

const char* element_type(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return "double";
    case DType::kF16:
      return "Half";
    case DType::kBF16:
      return "BFloat";
    default:
      return "float";
  }
}

std::string constant(const char* name, int64_t value) {
  return std::string("constexpr int ") + name + " = " + std::to_string(value) + ";\n";
}

std::string flag(const char* name, bool value) {
  return std::string("constexpr bool ") + name + " = " + (value ? "true" : "false") + ";\n";
}

std::string alias(const char* name, const char* type) {
  return std::string("using ") + name + " = " + type + ";\n";
}

int64_t blocks(int64_t size, int64_t block) {
  return (size + block - 1) / block;
}

}  // namespace

bool rows_are_on_16_bytes(const Problem& problem) {
  const int64_t elements = kVectorBytes / size_bytes(problem.a_type);
  const bool strides_fit = problem.lda % elements == 0 && problem.ldb % elements == 0;
  const bool batches_fit = problem.batch == 1 || (problem.a_batch_stride % elements == 0 &&
                                                  problem.b_batch_stride % elements == 0);
  return problem.alignment_bytes >= kVectorBytes && strides_fit && batches_fit;
}

CudaSource nvrtc_gemm_source(const Problem& problem, const NvrtcGemmConfig& config) {
  std::string text(kNvrtcGemmPrelude);
  text += alias("Element", element_type(problem.a_type));
  text += alias("CElement", element_type(problem.c_type));
  text += alias("Scalar", problem.a_type == DType::kF64 ? "double" : "float");
  text += flag("kATransposed", problem.a_transposed);
  text += flag("kBTransposed", problem.b_transposed);
  text += flag("kCopiesVectors", uses_tensor_cores(problem) && rows_are_on_16_bytes(problem));
  text += constant("kBlockM", config.block_m) + constant("kBlockN", config.block_n) +
          constant("kBlockK", config.block_k) + constant("kTileM", config.tile_m) +
          constant("kTileN", config.tile_n) + constant("kStages", config.stages) +
          constant("kGroupM", config.group_m) +
          constant("kThreads", threads_per_block(problem, config));
  text += kNvrtcGemmGrid;
  text += uses_tensor_cores(problem) ? kTensorCoreGemm : kPlainGemm;
  return {std::move(text), "triode_gemm.cu"};
}

Result<NvrtcGemmLaunch> nvrtc_gemm_launch(const Problem& problem, const NvrtcGemmConfig& config) {
  const int64_t rows = blocks(problem.m, config.block_m);
  const int64_t columns = blocks(problem.n, config.block_n);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (rows > kMost || columns > kMost || rows * columns > kMost) {
    return unsupported("the grid of \"" + to_string(problem) + "\" is larger than a device takes");
  }
  NvrtcGemmLaunch launch;
  launch.grid = {static_cast<uint32_t>(rows * columns), 1, static_cast<uint32_t>(problem.batch)};
  launch.threads = static_cast<uint32_t>(threads_per_block(problem, config));
  if (uses_tensor_cores(problem)) {
    launch.dynamic_shared_bytes = static_cast<uint32_t>(shared_bytes(problem, config));
  }
  return launch;
}

NvrtcGemmArguments nvrtc_gemm_arguments(const Problem& problem) {
  NvrtcGemmArguments arguments;
  arguments.m = problem.m;
  arguments.n = problem.n;
  arguments.k = problem.k;
  arguments.lda = problem.lda;
  arguments.ldb = problem.ldb;
  arguments.ldc = problem.ldc;
  arguments.a_batch_stride = problem.a_batch_stride;
  arguments.b_batch_stride = problem.b_batch_stride;
  arguments.c_batch_stride = problem.c_batch_stride;
  return arguments;
}

}  // namespace triode::cuda
