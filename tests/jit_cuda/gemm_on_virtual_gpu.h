// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/problem.h"
#include "core/status.h"
#include "jit/cuda/nvrtc_gemm.h"
#include "tests/virtual_gpu/kernel.h"

namespace triode::cuda {

// PTX of the kernel of a config, compiled by NVRTC for sm_80.
Result<std::string> gemm_ptx(const Problem& problem, const NvrtcGemmConfig& config);

// How a GPU kernel is tried: scalars, the mode of the virtual GPU, and what a mutation changes.
struct GemmTrial {
  double alpha = 1;
  double beta = 0;
  uint64_t seed = 0;              // LaunchOptions::scheduling_seed
  int64_t shared_bytes_less = 0;  // taken from the shared memory that the launch asks for
  int64_t ldb_more = 0;           // added to the stride that the kernel is told
};

// Runs the PTX on the virtual GPU with operands drawn for `problem`. Empty if it ran without a
// fault and c is right; else what was wrong.
std::optional<std::string> try_gemm(const std::string& ptx, const Problem& problem,
                                    const NvrtcGemmConfig& config, const GemmTrial& trial);

}  // namespace triode::cuda
