// SPDX-License-Identifier: Apache-2.0
#include "learner/model/tree_kernels.h"

#include <vector>

namespace triode {

std::span<const TreeKernel> runnable_tree_kernels() {
  static const std::vector<TreeKernel> kRunnable = [] {
    std::vector<TreeKernel> runnable;
    if (__builtin_cpu_supports("avx512f")) runnable.push_back(kAvx512TreeKernel);
    if (__builtin_cpu_supports("avx2")) runnable.push_back(kAvx2TreeKernel);
    runnable.push_back(kPortableTreeKernel);
    return runnable;
  }();
  return kRunnable;
}

}  // namespace triode
