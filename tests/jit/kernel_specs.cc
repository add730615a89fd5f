// SPDX-License-Identifier: Apache-2.0
#include "tests/jit/kernel_specs.h"

namespace triode::x86 {

KernelSpec resized(KernelSpec spec, int64_t m, int64_t n, int64_t k) {
  const int64_t element_bytes = size_bytes(spec.dtype);
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.a_row_bytes = k * element_bytes;
  spec.a_step_bytes = element_bytes;
  spec.b_row_bytes = (spec.family == Family::kOuter ? n : k) * element_bytes;
  spec.c_row_bytes = n * element_bytes;
  return spec;
}

KernelSpec outer_spec(IsaId isa, DType dtype) {
  KernelSpec spec;
  spec.isa = isa;
  spec.family = Family::kOuter;
  spec.dtype = dtype;
  spec.mr = 4;
  spec.nr = 2 * describe(isa).lanes(size_bytes(dtype));
  spec.ku = 2;
  return resized(spec, 2 * spec.mr, 2 * spec.nr, 20);
}

KernelSpec paired_spec(IsaId isa, DType dtype) {
  KernelSpec spec = outer_spec(isa, dtype);
  spec.mr = 8;
  spec.nr = describe(isa).lanes(size_bytes(dtype)) / 2;
  spec.ku = 8;
  return resized(spec, spec.mr, spec.nr, spec.ku);
}

KernelSpec dot_spec(IsaId isa, DType dtype) {
  KernelSpec spec;
  spec.isa = isa;
  spec.family = Family::kDot;
  spec.dtype = dtype;
  spec.mr = 2;
  spec.nr = 4;
  spec.ku = 1;
  return resized(spec, 2 * spec.mr, 2 * spec.nr, 20);
}

}  // namespace triode::x86
