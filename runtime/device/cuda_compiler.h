// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "core/target.h"
#include "jit/cuda/nvrtc_compiler.h"
#include "jit/cuda/triton_pool.h"
#include "runtime/device/cuda_program.h"

namespace triode {

struct CudaCompilerOptions {
  std::filesystem::path python;  // that can import triton; empty: no Triton
  std::filesystem::path worker;  // jit/cuda/triton/compile_worker.py
  int workers = 2;               // Python processes at once, most; each holds some 300 MB
  std::filesystem::path nvrtc;   // folder to look into; empty: where NVRTC usually is
};

// Makes programs for GPUs, with or without one at hand: our Triton matmul in Python processes of
// its own where it does the problem, and our CUDA C++ matmul by NVRTC for the others and where no
// Triton is. Thread-safe; a compile takes a tenth of a second to several.
class CudaCompiler {
 public:
  // kNotFound, with what was looked for, if there is neither Triton nor NVRTC.
  static Result<std::shared_ptr<CudaCompiler>> create(const CudaCompilerOptions& options);

  // The configs of a problem on that target: kUnsupported if neither kernel does it.
  Result<Space> space_of(const Target& target, const Problem& problem) const;

  // All that decides the code of that problem besides target, problem and config: the compilers
  // with their versions, and our sources. What compile() says in CudaProgram::toolchain, unless
  // they were replaced meanwhile. The first time for Triton a Python process is asked, which takes
  // about a second; kUnavailable if it does not answer.
  Result<std::string> toolchain(const Target& target, const Problem& problem);

  // kUnsupported, with the compiler's words, for a config that does not compile; kUnavailable if
  // the compiler itself was not there, ended or took too long.
  Result<CudaProgram> compile(const Target& target, const Problem& problem, const Config& config);

  bool has_triton() const { return triton_ != nullptr; }

 private:
  CudaCompiler() = default;
  bool takes_triton(const Target& target, const Problem& problem) const;

  std::unique_ptr<cuda::TritonPool> triton_;  // null: none
  std::optional<cuda::NvrtcCompiler> nvrtc_;  // empty: none
};

// Where Python with Triton and the worker's script are: TRIODE_PYTHON if it is set, else the
// environment that Triode was built with; beside the running program, or where it was built. Empty
// paths if they are not there, so that NVRTC compiles alone.
CudaCompilerOptions find_cuda_compilers();

}  // namespace triode
