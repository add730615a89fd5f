// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "jit/x86/kernel_spec.h"
#include "jit/x86/simd_emitter.h"

namespace triode::x86 {

// A block of dot products: vectors run along k, where rows of a and columns of b both lie in memory
// without gaps. rows x columns sums stay in registers and are added up across lanes at the end.
class DotKernelEmitter {
 public:
  DotKernelEmitter(SimdEmitter& simd, const KernelSpec& spec) : simd_(simd), spec_(spec) {}

  // The whole kernel but for its return.
  void emit();

 private:
  struct Shape {
    int32_t rows;
    int32_t columns;
  };

  void emit_columns_outer();
  void emit_rows_outer();
  void emit_tile(const Shape& shape);
  void loop_over_k(const Shape& shape);
  void step(const Shape& shape, int32_t at, bool masked);
  void load_a(const Shape& shape, int32_t row, int32_t at, int reg, bool masked);
  void load_b(int32_t column, int32_t at, int reg, bool masked);
  void advance_over_k(int64_t vectors);
  void finish(const Shape& shape);
  void store(const Shape& shape, int32_t row, int32_t column, int reg, SimdEmitter::Piece piece);

  SimdEmitter& simd_;
  const KernelSpec& spec_;
};

}  // namespace triode::x86
