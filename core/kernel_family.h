// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/status.h"

namespace triode {

// Whose kernel a config is for. Two families with the same parameters are still two programs: their
// times are never pooled, and the learner sees the family as a feature.
enum class KernelFamily : uint8_t {
  kX86,       // jit/x86
  kTriton,    // our Triton matmul, and the grouped one of Triton's tutorial, which it follows
  kInductor,  // the matmul template of PyTorch Inductor
  kNvrtc,     // jit/cuda without Python
};

// "x86", "triton", "inductor", "nvrtc".
std::string_view to_string(KernelFamily family);
Result<KernelFamily> parse_kernel_family(std::string_view text);

}  // namespace triode
