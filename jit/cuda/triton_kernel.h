// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::cuda {

// Our Triton matmul, compiled. Sizes and strides are parameters; what was promised of them
// (divisible by 16, k a multiple of the block) holds for the problem it was compiled for.
struct TritonKernel {
  std::string entry;
  uint32_t threads = 0;       // of a block
  uint32_t shared_bytes = 0;  // dynamic; above 48 KiB the function's limit must be raised first
  std::string toolchain;      // "triton 3.9.0"
  std::string ptx;
  std::string cubin;
};

// The kernel's parameters, in the order and layout of its PTX. Addresses are the device's.
struct TritonArguments {
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  int32_t m = 0;
  int32_t n = 0;
  int32_t k = 0;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  float alpha = 1;
  float beta = 0;
  uint64_t global_scratch = 0;  // Triton's own two; null, since none of our kernels needs any
  uint64_t profile_scratch = 0;
};

// What compile_worker.py is asked for one config of triton_space(). kUnsupported for what the
// kernel does not do: batches, epilogues, and sizes of 2^31 and more.
Result<std::string> triton_request(const Problem& problem, const Config& config,
                                   const std::string& arch);

// Reads its answer. kInvalidArgument, with the compiler's words, if it refused the kernel;
// kUnavailable if the answer makes no sense.
Result<TritonKernel> read_triton_answer(std::vector<std::string> frames);

TritonArguments triton_arguments(const Problem& problem);
// Blocks along the grid's first dimension; the others are 1.
uint32_t triton_grid(const Problem& problem, const Config& config);

}  // namespace triode::cuda
