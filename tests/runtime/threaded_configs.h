// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/problem.h"
#include "jit/x86/gemm_config.h"

namespace triode {

// Up to `most` configs that are legal for the problem and share it out in this way, of those that
// promise the most first. Fewer, or none, if there are not that many.
std::vector<x86::GemmConfig> threaded_configs(Problem problem, x86::ThreadSplit split, int threads,
                                              size_t most);

}  // namespace triode
