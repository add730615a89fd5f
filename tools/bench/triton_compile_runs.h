// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "core/space.h"
#include "core/status.h"
#include "jit/cuda/triton_kernel.h"
#include "jit/cuda/triton_worker.h"

namespace triode::bench {

// Configs of one problem, drawn from the whole space of an A100.
struct TritonWorkload {
  Problem problem;
  Space space;
  std::vector<Config> configs;
  std::string arch = "sm_80";
};
Result<TritonWorkload> drawn_workload(int configs, uint64_t seed);

// One pass over a workload.
struct CompilePass {
  double seconds = 0;  // workers have started and compiled something else before
  std::vector<cuda::TritonKernel> kernels;
  std::string toolchain;
};

// Compiles the workload by so many new workers at once; with one, one config after another.
Result<CompilePass> compile_workload(const TritonWorkload& workload, const cuda::TritonTools& tools,
                                     int workers);

// Keeps the kernels as artifacts of a cache in `folder`, opens it anew, and takes each kernel out
// `rounds` times: milliseconds from its key to the kernel.
Result<std::vector<double>> load_from_cache(const TritonWorkload& workload, const CompilePass& pass,
                                            const std::string& folder, int rounds);

}  // namespace triode::bench
