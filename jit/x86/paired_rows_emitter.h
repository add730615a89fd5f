// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "jit/x86/kernel_spec.h"
#include "jit/x86/row_pairs.h"
#include "jit/x86/simd_emitter.h"

namespace triode::x86 {

// The whole block where c is at most half a vector wide: outer products of which each vector holds
// two rows of c, so that no lane idles. A row of b stands in both halves of its vector; the
// elements of a are read sixteen bytes of each row at a time, and repeated over the halves in
// registers. 8x8x8 in f32 takes half the loads and multiplications that vectors of one row take,
// and 0.6 of their time.
class PairedRowsEmitter {
 public:
  PairedRowsEmitter(SimdEmitter& simd, const KernelSpec& spec)
      : simd_(simd), spec_(spec), pairs_(simd, spec.n) {}

  // The whole kernel but for its return.
  void emit();

 private:
  void emit_tile(int32_t rows);
  void loop_over_k(int32_t rows);
  void emit_steps(int32_t rows, int64_t count);  // without moving the registers on
  void emit_group(int32_t rows, int64_t at);     // as many steps as sixteen bytes of a
  void emit_single(int32_t rows, int64_t at);
  void advance_over_k(int64_t steps);
  void finish(int32_t rows);
  void store_pair(int32_t first_row, bool is_pair);

  int32_t group_steps() const { return static_cast<int32_t>(16 / simd_.element_bytes()); }
  asmjit::x86::Mem a_element(int32_t row, int64_t at);
  asmjit::x86::Mem c_row(int32_t row);

  SimdEmitter& simd_;
  const KernelSpec& spec_;
  RowPairs pairs_;
};

}  // namespace triode::x86
