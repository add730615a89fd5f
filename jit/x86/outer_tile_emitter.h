// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "jit/x86/kernel_spec.h"
#include "jit/x86/simd_emitter.h"

namespace triode::x86 {

// Where a register tile becomes instructions: rows x vectors sums, kept in registers over the whole
// k of the block. Each step over k loads the tile's row of b, repeats each of its elements of a
// over a vector, and multiplies and adds them.
class OuterTileEmitter {
 public:
  struct Shape {
    int32_t rows;
    int32_t vectors;
    int32_t partial_lanes;  // lanes in use of the last vector of a row; 0 if all are
  };

  // The tile's panel of b.
  struct Panel {
    asmjit::x86::Gp base;
    int64_t row_bytes;
    bool is_packed;         // whole vectors, zero-padded: partial ones need no mask to be read
    bool store_packed;      // also write what is read to the workspace, as a packed panel
    int32_t prefetch_rows;  // fetch this many rows ahead; 0 is off
    // Lines of each row of the panel to the right that are fetched into L2, from where kB stands;
    // 0 is off. For packed panels only, whose rows leave kB to walk beside them.
    int32_t next_panel_lines = 0;
    int32_t next_panel_every = 1;  // in one of so many steps over k,
    int32_t next_panel_step = 0;   // this one
  };

  OuterTileEmitter(SimdEmitter& simd, const KernelSpec& spec) : simd_(simd), spec_(spec) {}

  // One tile. The registers of a and c move on to the next row tile; b and the workspace are as
  // before.
  void emit(const Shape& shape, const Panel& panel);

 private:
  void begin(const Shape& shape, const Panel& panel);
  void loop_over_k(const Shape& shape, const Panel& panel);
  void advance_over_k(const Shape& shape, const Panel& panel, int64_t steps);
  void step(const Shape& shape, const Panel& panel, int32_t at);
  void multiply_by_rows_of_b(const Shape& shape, const Panel& panel, int32_t at,
                             int32_t last_register);
  void multiply_by_columns_of_a(const Shape& shape, const Panel& panel, int32_t at,
                                int32_t last_register);
  void multiply_single_row(const Shape& shape, const Panel& panel, int32_t at);
  void multiply_single_vector(const Shape& shape, const Panel& panel, int32_t at);
  void load_b(const Shape& shape, const Panel& panel, int32_t at, int32_t vector, int reg);
  void prefetch(const Shape& shape, const Panel& panel, int32_t at);
  void prefetch_a(const Shape& shape, int32_t at);
  void prefetch_b(const Shape& shape, const Panel& panel, int32_t at);
  void prefetch_next_panel(const Shape& shape, const Panel& panel, int32_t at);
  bool fetches_c_in_loop(const Shape& shape, const Panel& panel) const;
  void fetch_c_row(const Shape& shape, const asmjit::x86::Gp& base, int64_t offset);
  void finish(const Shape& shape);
  void store_vector(const Shape& shape, int32_t row, int32_t vector);

  asmjit::x86::Mem a_element(int32_t row, int32_t at);
  asmjit::x86::Mem b_vector(const Panel& panel, int32_t at, int32_t vector);
  asmjit::x86::Mem c_vector(int32_t row, int32_t vector);
  bool is_partial(const Shape& shape, int32_t vector) const {
    return shape.partial_lanes > 0 && vector == shape.vectors - 1;
  }
  // Partial vectors of b that are read through a mask in the loop.
  bool masks_b(const Shape& shape, const Panel& panel) const {
    return shape.partial_lanes > 0 && !panel.is_packed;
  }

  SimdEmitter& simd_;
  const KernelSpec& spec_;
};

}  // namespace triode::x86
