// SPDX-License-Identifier: Apache-2.0
// Internal to the self-test of a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/dtype.h"
#include "core/problem.h"
#include "core/status.h"
#include "jit/cuda/triton_space.h"

namespace triode {

// A product that one of our kernels is to do right.
struct SelfTestCase {
  std::string kind;  // "triton split-k f16"
  Problem problem;
  bool is_triton = false;  // else NVRTC
  // What its configs have in common: parameters of the space, and the least and most of each.
  struct Range {
    std::string parameter;
    int32_t least = 0, most = 0;
  };
  std::vector<Range> ranges;
  std::string config;  // the only one to try; empty: any
  double alpha = 1;
  double beta = 0;
};

// Every kind of our kernels that such a GPU can run, for those types. Sizes are such that
// persistent blocks have several pieces each.
std::vector<SelfTestCase> triton_cases(DType type, const cuda::BlockLimits& limits);
std::vector<SelfTestCase> nvrtc_cases(DType type);

// Large square products for timing, one for each compiler that does the type, with a config that is
// good on most GPUs.
std::vector<SelfTestCase> timed_cases(DType type, int64_t size);

// A small product in f32, for what is about how kernels are started.
SelfTestCase small_case(bool is_triton);

// So many configs to try a case with on such a GPU, as text too. kUnsupported if none is legal.
struct SelfTestConfig {
  Config config;
  std::string text;
};
Result<std::vector<SelfTestConfig>> configs_of(const SelfTestCase& wanted,
                                               const cuda::BlockLimits& limits, int count);

}  // namespace triode
