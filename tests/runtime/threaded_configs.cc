// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/threaded_configs.h"

#include "jit/x86/gemm_space.h"
#include "jit/x86/vector_isa.h"

namespace triode {

std::vector<x86::GemmConfig> threaded_configs(Problem problem, x86::ThreadSplit split, int threads,
                                              size_t most) {
  problem.threads = threads;
  const Result<Space> space = x86::gemm_space(problem, x86::runnable_isas(), threads);
  std::vector<x86::GemmConfig> configs;
  if (!space.ok()) return configs;
  for (const Config& promising : x86::promising_configs(*space, problem)) {
    x86::GemmConfig config = x86::to_gemm_config(promising);
    config.threads = threads;
    config.split = split;
    if (configs.size() < most && space->is_legal(x86::to_config(config))) configs.push_back(config);
  }
  return configs;
}

}  // namespace triode
