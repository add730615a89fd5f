// SPDX-License-Identifier: Apache-2.0
// Internal to jit/cuda: what compile_worker.py answers, in frames.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/status.h"
#include "jit/cuda/triton_kernel.h"

namespace triode::cuda {

// How many frames follow this one, the first of an answer. kUnavailable if it is none.
Result<size_t> frames_after(const std::string& first);

// kInvalidArgument, with the compiler's words, if it refused the kernel; kUnavailable if the
// machine failed it or the answer makes no sense. Registers and the place of each parameter are
// read from the cubin.
Result<TritonKernel> read_triton_answer(std::vector<std::string> frames);

// The answer to triton_toolchain_request().
Result<std::string> read_triton_toolchain(const std::vector<std::string>& frames);

}  // namespace triode::cuda
