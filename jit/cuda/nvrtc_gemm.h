// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/problem.h"
#include "core/status.h"
#include "jit/cuda/nvrtc_compiler.h"
#include "jit/cuda/nvrtc_gemm_space.h"

namespace triode::cuda {

// The name of the kernel in every source below.
inline constexpr std::string_view kNvrtcGemmEntry = "triode_gemm";

// Part of the key of whatever these sources are compiled to; raised when their text changes.
inline constexpr int kNvrtcGemmVersion = 1;

// The kernel's one parameter, by value. Row-major, in elements; addresses are the device's.
// c = alpha * op(a) op(b) + beta * c: c is not read when beta is zero, nor a and b when alpha is.
struct NvrtcGemmArguments {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  int64_t a_batch_stride = 0;
  int64_t b_batch_stride = 0;
  int64_t c_batch_stride = 0;
  double alpha = 1;
  double beta = 0;
};

// How a compiled kernel is started for one problem.
struct NvrtcGemmLaunch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t threads = 0;
  uint32_t dynamic_shared_bytes = 0;  // above 48 KiB the function's limit must be raised first
};

// Whether every 16 bytes of every row of a and b begin on 16 bytes, so that they may be copied at
// once. From the actual strides and the alignment of the actual pointers: a kernel built for it
// faults without.
bool rows_are_on_16_bytes(const Problem& problem);

// CUDA C++ for one config of the problem's types, transposes and alignment. Sizes and strides are
// parameters, so one kernel serves all sizes, remainders included. Pure; deterministic.
CudaSource nvrtc_gemm_source(const Problem& problem, const NvrtcGemmConfig& config);

// kUnsupported if the grid would be larger than a device takes.
Result<NvrtcGemmLaunch> nvrtc_gemm_launch(const Problem& problem, const NvrtcGemmConfig& config);

// The sizes and strides of the problem; pointers and scalars are the caller's.
NvrtcGemmArguments nvrtc_gemm_arguments(const Problem& problem);

}  // namespace triode::cuda
