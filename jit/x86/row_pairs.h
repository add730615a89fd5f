// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "jit/x86/simd_emitter.h"

namespace triode::x86 {

// Instructions on vectors whose lower half belongs to one row of a matrix and whose upper half to
// the next row. Only where the isa has opmasks: k1 is the upper half from set_masks() on, k2 and k3
// are the columns in use.
class RowPairs {
 public:
  // `columns` of each row are in use: a half's lanes at most.
  RowPairs(SimdEmitter& simd, int64_t columns);

  // To be called before anything else, once; with `loads` if load_upper() will be.
  void set_masks(bool loads);

  // One row of memory in both halves; lanes past the columns become 0 and are not read.
  void load_twice(int reg, const asmjit::x86::Mem& row);
  // Sixteen bytes of one row all over the lower half; of another all over the upper half.
  void repeat_sixteen_bytes(int reg, const asmjit::x86::Mem& row);
  void repeat_sixteen_bytes_above(int reg, const asmjit::x86::Mem& row);
  // One element instead.
  void repeat_element(int reg, const asmjit::x86::Mem& row);
  void repeat_element_above(int reg, const asmjit::x86::Mem& row);
  // The element of this number of each half's sixteen bytes, all over the half.
  void pick(int to, int from, int32_t element);

  // The columns in use of a half, from and to memory. The loads leave the other half 0, or as it
  // was; `temporary` is lost.
  void load_lower(int reg, const asmjit::x86::Mem& row);
  void load_upper(int reg, const asmjit::x86::Mem& row);
  void store_lower(const asmjit::x86::Mem& row, int reg);
  void store_upper(const asmjit::x86::Mem& row, int reg, int temporary);

 private:
  asmjit::x86::Vec whole(int reg) const;
  asmjit::x86::Vec half(int reg) const;
  bool is_partial() const { return columns_ < lanes_ / 2; }
  bool is_double() const { return simd_.element_bytes() == 8; }
  void repeat_half(int reg, const asmjit::x86::Mem& row);  // half a vector of memory, twice
  void set_mask(const asmjit::x86::KReg& mask, uint32_t bits);

  SimdEmitter& simd_;
  asmjit::x86::Assembler& assembler_;
  int32_t lanes_;
  int32_t columns_;
};

}  // namespace triode::x86
