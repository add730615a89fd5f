// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/device/gpu_self_test.h"

namespace triode::doctor_tool {

struct GpuTestLimits {
  // For one step. Beyond it its process is ended; a kernel that hangs is stopped by nothing else.
  std::chrono::seconds patience{180};
  // Processes after the first, most: of a GPU that spoils one after another, enough is known then.
  int restarts = 8;
};

// Told of each step before it begins.
using GpuTestProgress = std::function<void(size_t index, size_t count, const std::string& what)>;

// test_gpu() in a process of its own, and the rest of it in another one where a step crashes, hangs
// or leaves the GPU unusable: that step has failed then, and the others are tried all the same.
// Forks, so the caller has no threads and has not used the GPU's driver.
std::vector<SelfTestStep> test_gpu_apart(SelfTestOptions options, const GpuTestLimits& limits,
                                         const GpuTestProgress& progress);

}  // namespace triode::doctor_tool
