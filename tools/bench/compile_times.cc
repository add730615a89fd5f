// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/compile_times.h"

#include <algorithm>

#include "jit/x86/gemm_program.h"
#include "jit/x86/gemm_space.h"
#include "jit/x86/kernel_cache.h"

namespace triode::bench {

std::vector<double> kernel_compile_times_us(const Problem& problem, std::span<const Config> configs,
                                            std::size_t limit) {
  std::vector<double> times;
  const std::size_t count = std::min(limit, configs.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Config& config = configs[i * configs.size() / count];
    x86::KernelCache kernels;
    const auto program = x86::GemmProgram::build(problem, x86::to_gemm_config(config), kernels);
    if (!program.ok()) continue;  // these configs compiled before
    for (const int64_t took_ns : kernels.compile_times_ns()) {
      times.push_back(static_cast<double>(took_ns) / 1e3);
    }
  }
  return times;
}

}  // namespace triode::bench
