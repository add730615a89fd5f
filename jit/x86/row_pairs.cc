// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/row_pairs.h"

#include <cassert>

#include "jit/x86/kernel_registers.h"

namespace triode::x86 {

using asmjit::x86::Mem;

namespace {

const asmjit::x86::KReg kUpper = asmjit::x86::k1;
const asmjit::x86::KReg kColumnsInUse = asmjit::x86::k2;       // of both halves
const asmjit::x86::KReg kUpperColumnsInUse = asmjit::x86::k3;  // of the upper alone

}  // namespace

RowPairs::RowPairs(SimdEmitter& simd, int64_t columns)
    : simd_(simd),
      assembler_(simd.assembler()),
      lanes_(simd.lanes()),
      columns_(static_cast<int32_t>(columns)) {
  assert(simd.isa().has_opmask && columns > 0 && columns <= lanes_ / 2);
}

asmjit::x86::Vec RowPairs::whole(int reg) const {
  const auto id = static_cast<uint32_t>(reg);
  if (simd_.isa().vector_bytes == 64) return asmjit::x86::zmm(id);
  return asmjit::x86::ymm(id);
}

asmjit::x86::Vec RowPairs::half(int reg) const {
  const auto id = static_cast<uint32_t>(reg);
  if (simd_.isa().vector_bytes == 64) return asmjit::x86::ymm(id);
  return asmjit::x86::xmm(id);
}

void RowPairs::set_mask(const asmjit::x86::KReg& mask, uint32_t bits) {
  assembler_.mov(registers::kScratch.r32(), bits);
  assembler_.kmovw(mask, registers::kScratch.r32());
}

void RowPairs::set_masks(bool loads) {
  const uint32_t half_lanes = static_cast<uint32_t>(lanes_) / 2;
  const uint32_t in_use = (1u << columns_) - 1;
  set_mask(kUpper, ((1u << half_lanes) - 1) << half_lanes);
  if (loads) set_mask(kUpperColumnsInUse, in_use << half_lanes);
  if (is_partial()) set_mask(kColumnsInUse, in_use | in_use << half_lanes);
}

void RowPairs::repeat_half(int reg, const Mem& row) {
  if (simd_.isa().vector_bytes == 32) {
    repeat_sixteen_bytes(reg, row);
  } else {
    is_double() ? assembler_.vbroadcastf64x4(whole(reg), row)
                : assembler_.vbroadcastf32x8(whole(reg), row);
  }
}

void RowPairs::load_twice(int reg, const Mem& row) {
  if (is_partial()) assembler_.k(kColumnsInUse).z();
  repeat_half(reg, row);
}

void RowPairs::repeat_sixteen_bytes(int reg, const Mem& row) {
  is_double() ? assembler_.vbroadcastf64x2(whole(reg), row)
              : assembler_.vbroadcastf32x4(whole(reg), row);
}

void RowPairs::repeat_sixteen_bytes_above(int reg, const Mem& row) {
  assembler_.k(kUpper);
  repeat_sixteen_bytes(reg, row);
}

void RowPairs::repeat_element(int reg, const Mem& row) {
  simd_.broadcast(reg, row);
}

void RowPairs::repeat_element_above(int reg, const Mem& row) {
  assembler_.k(kUpper);
  simd_.broadcast(reg, row);
}

void RowPairs::pick(int to, int from, int32_t element) {
  if (is_double()) {
    assembler_.vpermilpd(whole(to), whole(from), element == 0 ? 0x00 : 0xFF);
  } else {
    assembler_.vpermilps(whole(to), whole(from), element * 0b01'01'01'01);
  }
}

void RowPairs::load_lower(int reg, const Mem& row) {
  if (is_partial()) assembler_.k(kColumnsInUse).z();
  is_double() ? assembler_.vmovupd(half(reg), row) : assembler_.vmovups(half(reg), row);
}

// By a load that repeats the row, since one that inserts a half would read past the columns in use.
void RowPairs::load_upper(int reg, const Mem& row) {
  assembler_.k(kUpperColumnsInUse);
  repeat_half(reg, row);
}

void RowPairs::store_lower(const Mem& row, int reg) {
  if (is_partial()) assembler_.k(kColumnsInUse);
  is_double() ? assembler_.vmovupd(row, half(reg)) : assembler_.vmovups(row, half(reg));
}

// Through a register where a mask is needed: an extraction to memory may fault on masked lanes.
void RowPairs::store_upper(const Mem& row, int reg, int temporary) {
  const auto extract = [&](const auto& to) {
    if (simd_.isa().vector_bytes == 64) {
      is_double() ? assembler_.vextractf64x4(to, asmjit::x86::zmm(static_cast<uint32_t>(reg)), 1)
                  : assembler_.vextractf32x8(to, asmjit::x86::zmm(static_cast<uint32_t>(reg)), 1);
    } else {
      is_double() ? assembler_.vextractf64x2(to, asmjit::x86::ymm(static_cast<uint32_t>(reg)), 1)
                  : assembler_.vextractf32x4(to, asmjit::x86::ymm(static_cast<uint32_t>(reg)), 1);
    }
  };
  if (!is_partial()) {
    extract(row);
    return;
  }
  extract(half(temporary));
  store_lower(row, temporary);
}

}  // namespace triode::x86
