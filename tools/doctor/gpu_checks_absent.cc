// SPDX-License-Identifier: Apache-2.0
// Triode built without CUDA: there is nothing to test.
#include "tools/doctor/gpu_checks.h"

namespace triode::doctor_tool {

Result<GpuExamination> examine_gpu(const cache_tool::Arguments&, bool) {
  return GpuExamination{{{"gpu driver", Health::kBad, "this Triode was built without CUDA",
                          "build with TRIODE_WITH_CUDA=ON"}},
                        "[]"};
}

}  // namespace triode::doctor_tool
