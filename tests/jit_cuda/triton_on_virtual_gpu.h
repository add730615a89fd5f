// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem.h"
#include "core/status.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_pool.h"
#include "jit/cuda/triton_space.h"

namespace triode::cuda {

// Two workers for all tests of a program: their start is half of what a few kernels cost.
TritonPool& shared_triton_pool();

// So few blocks at a time that persistent ones make several pieces of a small matrix.
BlockLimits small_gpu(int32_t capability = 80);

// A kernel to compile: a problem, one of its configs for small_gpu(), and where it is to run.
struct TritonCase {
  Problem problem;
  std::string config;
  std::string arch = "sm_80";
};

Result<TritonKernel> compile_case(const TritonCase& each);
// As many at a time as the pool has workers; in the order given.
std::vector<Result<TritonKernel>> compile_cases(const std::vector<TritonCase>& cases);

// How a compiled kernel is tried.
struct TritonTrial {
  uint64_t seed = 0;              // LaunchOptions::scheduling_seed
  int64_t shared_bytes_less = 0;  // taken from the shared memory that the launch asks for
  bool zero_alpha = false;        // with an a that is all NaNs
  bool zero_beta = false;         // with a c that is all NaNs
};

// Runs a kernel of sm_80 on the virtual GPU with operands drawn for `problem`, and scalars of its
// classes. Empty if it ran without a fault and c is right; else what was wrong.
std::optional<std::string> try_triton(const TritonKernel& kernel, const Problem& problem,
                                      const TritonTrial& trial = {});

// A case that was compiled and tried.
struct TriedCase {
  Result<TritonKernel> kernel;
  std::vector<std::optional<std::string>> wrong;  // by try_triton(), for each seed
};

// Compiles cases and tries each with those seeds, in the order given: while one is tried, others
// are compiled.
std::vector<TriedCase> try_cases(const std::vector<TritonCase>& cases,
                                 const std::vector<uint64_t>& seeds);

// c as the kernel left it, or the fault.
Result<std::vector<std::byte>> run_triton(const TritonKernel& kernel, const Problem& problem,
                                          const TritonTrial& trial = {});

}  // namespace triode::cuda
