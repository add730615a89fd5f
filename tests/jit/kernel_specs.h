// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/x86/kernel_spec.h"

namespace triode::x86 {

// Specs to begin from in tests: a block of two row tiles by two column tiles over 20 steps of k, on
// tight row-major operands (for the dot family: b stored by columns), alpha 1 and beta 0.
KernelSpec outer_spec(IsaId isa, DType dtype = DType::kF32);
KernelSpec dot_spec(IsaId isa, DType dtype = DType::kF32);
// One tile of eight rows and half a vector, two rows in each vector, over eight steps.
KernelSpec paired_spec(IsaId isa, DType dtype);

// The spec for other sizes, its strides tight again.
KernelSpec resized(KernelSpec spec, int64_t m, int64_t n, int64_t k);

}  // namespace triode::x86
