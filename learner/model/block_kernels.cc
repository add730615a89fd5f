// SPDX-License-Identifier: Apache-2.0
#include "learner/model/block_kernels.h"

#include <vector>

#include "learner/model/block_kernels_widths.h"

namespace triode {

std::span<const BlockKernels> runnable_block_kernels() {
  static const std::vector<BlockKernels> kRunnable = [] {
    std::vector<BlockKernels> runnable;
    if (__builtin_cpu_supports("avx512f")) runnable.push_back(kAvx512Kernels);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      runnable.push_back(kAvx2Kernels);
    }
    runnable.push_back(kPortableKernels);
    return runnable;
  }();
  return kRunnable;
}

}  // namespace triode
