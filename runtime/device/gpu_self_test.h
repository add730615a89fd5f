// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "runtime/device/cuda_compiler.h"

namespace triode {

enum class SelfTestResult : uint8_t {
  kPassed,
  kFailed,
  kSkipped,  // cannot be tried here: no Triton, a type that this GPU does not multiply
};
std::string_view to_string(SelfTestResult result);  // "passed", "failed", "skipped"

// One thing that was tried on a GPU.
struct SelfTestStep {
  std::string kind;  // "driver", "triton split-k f16"
  std::string name;  // within its kind: a problem; empty where the kind has one step
  SelfTestResult result = SelfTestResult::kFailed;
  std::string text;  // what was seen: a version, a config, or what went wrong
  double seconds = 0;
};

struct SelfTestOptions {
  std::string driver;             // libcuda's file; empty: where the system finds it
  CudaCompilerOptions compilers;  // see find_cuda_compilers()
  std::vector<DType> types = {DType::kF16, DType::kBF16, DType::kTF32,
                              DType::kF32, DType::kF64,  DType::kF8E4M3};
  // Configs of each problem, spread over its space. More find more that does not compile or is
  // wrong here, and take longer: about a second each by Triton and worker.
  int configs = 2;
  // Side of the square products that are timed at the end; 0: none.
  int timed_size = 2048;
  // Where to begin, by the order of the steps: what an earlier run answered is left out.
  size_t first = 0;
  // Told before and after each step; either may be empty.
  std::function<void(size_t index, size_t count, const std::string& what)> on_begin;
  std::function<void(const SelfTestStep&)> on_end;
};

// Tries on the first GPU what Triode does with one: driver, device and its limits, compilers,
// vendor's libraries; kernels of every kind, type and transpose, with and without remainders,
// compiled, loaded, run and compared element for element with sums that are exact in any order; a
// captured graph, events; then how long larger products take. Without a GPU only what needs none.
// Changes nothing that outlives it. Minutes with Triton.
//
// False if it ended early, since a kernel left the GPU unusable to this process: another process
// can go on, with the step after the last one told of. A kernel may also never end.
bool test_gpu(const SelfTestOptions& options);

}  // namespace triode
