// SPDX-License-Identifier: Apache-2.0
#include "learner/model/gpu_rows.h"

#include <vector>

namespace triode {

std::span<GpuRows* const> runnable_gpu_rows() {
  static const std::vector<GpuRows*> kRunnable = [] {
    std::vector<GpuRows*> runnable;
    if (__builtin_cpu_supports("avx512f")) runnable.push_back(lanes_16::gpu_rows);
    if (__builtin_cpu_supports("avx2")) runnable.push_back(lanes_8::gpu_rows);
    runnable.push_back(lanes_4::gpu_rows);
    return runnable;
  }();
  return kRunnable;
}

}  // namespace triode
