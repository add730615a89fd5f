// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/config.h"
#include "core/problem.h"
#include "core/status.h"
#include "core/target.h"
#include "jit/cuda/nvrtc_compiler.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_launch.h"
#include "jit/cuda/triton_space.h"
#include "runtime/device/cuda_program.h"

namespace triode {

// From what the compilers make to what a GPU is given.

// What a GPU lets one block have, by its architecture.
cuda::BlockLimits block_limits_of(const Target& target);

// A Triton kernel as a program for that problem. `fixed` is what no call brings: the workspace, the
// scales of 8-bit operands.
CudaProgram triton_program(const Problem& problem, const cuda::BlockLimits& limits,
                           cuda::TritonKernel kernel, const cuda::TritonValues& fixed = {});

// What compile_nvrtc_program() says in CudaProgram::toolchain: "nvrtc 13.2 source 1".
std::string nvrtc_toolchain(const cuda::NvrtcCompiler& nvrtc);

// Our CUDA C++ matmul for that problem, compiled by NVRTC. kInvalidArgument, with the compiler's
// words, if it refuses.
Result<CudaProgram> compile_nvrtc_program(const cuda::NvrtcCompiler& nvrtc, const std::string& isa,
                                          const Problem& problem, const Config& config);

}  // namespace triode
