// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/problem.h"

namespace triode::x86 {

// A description of the same memory that the kernels like better; what it computes is the same.
struct OrientedProblem {
  Problem problem;
  bool operands_exchanged = false;  // the caller's b is this problem's a, and the other way round
};

// Column results become row results (c is a vector either way), and vectors without gaps are
// described along the dimension that runs through them.
OrientedProblem orient(const Problem& problem);

}  // namespace triode::x86
