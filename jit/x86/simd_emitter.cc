// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/simd_emitter.h"

#include <array>
#include <cassert>

#include "jit/x86/kernel_registers.h"

namespace triode::x86 {

using asmjit::x86::Mem;

namespace {

constexpr int kMaskTableLanes =
    8;  // 32-bit lanes of the widest vector that keeps its mask in memory

}  // namespace

// Picks the single- or double-precision form of an instruction.
#define TRIODE_EMIT(single, twice, ...) \
  (is_double() ? assembler_.twice(__VA_ARGS__) : assembler_.single(__VA_ARGS__))

SimdEmitter::SimdEmitter(asmjit::x86::Assembler& assembler, const VectorIsa& isa, DType dtype)
    : assembler_(assembler), isa_(isa), element_bytes_(size_bytes(dtype)) {
  assert(dtype == DType::kF32 || dtype == DType::kF64);
}

asmjit::x86::Vec SimdEmitter::vec(int reg) const {
  assert(reg >= 0 && reg < isa_.register_count);
  const auto id = static_cast<uint32_t>(reg);
  if (isa_.vector_bytes == 64) return asmjit::x86::zmm(id);
  return asmjit::x86::ymm(id);
}

void SimdEmitter::zero(int reg) {
  // The 128-bit form clears the whole register and is shorter, but has no name for registers
  // above 15.
  if (reg < 16) {
    assembler_.vxorps(low(reg), low(reg), low(reg));
  } else {
    assembler_.vpxord(vec(reg), vec(reg), vec(reg));
  }
}

void SimdEmitter::load(int reg, const Mem& from) {
  TRIODE_EMIT(vmovups, vmovupd, vec(reg), from);
}

void SimdEmitter::store(const Mem& to, int reg) {
  TRIODE_EMIT(vmovups, vmovupd, to, vec(reg));
}

void SimdEmitter::store_aligned(const Mem& to, int reg) {
  TRIODE_EMIT(vmovaps, vmovapd, to, vec(reg));
}

void SimdEmitter::store_streaming(const Mem& to, int reg) {
  TRIODE_EMIT(vmovntps, vmovntpd, to, vec(reg));
}

void SimdEmitter::broadcast(int reg, const Mem& element) {
  TRIODE_EMIT(vbroadcastss, vbroadcastsd, vec(reg), element);
}

void SimdEmitter::multiply(int reg, const Mem& by) {
  TRIODE_EMIT(vmulps, vmulpd, vec(reg), vec(reg), by);
}

void SimdEmitter::copy(int to, int from) {
  TRIODE_EMIT(vmovaps, vmovapd, vec(to), vec(from));
}

void SimdEmitter::add(int reg, int other) {
  TRIODE_EMIT(vaddps, vaddpd, vec(reg), vec(reg), vec(other));
}

void SimdEmitter::add(int reg, const Mem& other) {
  TRIODE_EMIT(vaddps, vaddpd, vec(reg), vec(reg), other);
}

void SimdEmitter::fma(int sum, int x, int y) {
  TRIODE_EMIT(vfmadd231ps, vfmadd231pd, vec(sum), vec(x), vec(y));
}

void SimdEmitter::fma(int sum, int x, const Mem& y) {
  TRIODE_EMIT(vfmadd231ps, vfmadd231pd, vec(sum), vec(x), y);
}

void SimdEmitter::fma_element(int sum, int x, const Mem& element) {
  assert(isa_.has_opmask);
  Mem repeated = element;
  switch (lanes()) {
    case 16:
      repeated = element._1to16();
      break;
    case 8:
      repeated = element._1to8();
      break;
    default:
      repeated = element._1to4();
      break;
  }
  fma(sum, x, repeated);
}

void SimdEmitter::set_mask(int lanes, int reg) {
  assert(lanes > 0 && lanes < this->lanes());
  assert((mask_lanes_ == 0 || mask_lanes_ == lanes) && "a kernel has one kind of partial vector");
  mask_lanes_ = lanes;
  if (isa_.has_opmask) {
    assembler_.mov(registers::kScratch.r32(), (1u << lanes) - 1);
    assembler_.kmovw(asmjit::x86::k1, registers::kScratch.r32());
    return;
  }
  mask_reg_ = reg;
  if (!mask_label_.isValid()) mask_label_ = assembler_.newLabel();
  assembler_.vmovups(vec(reg), asmjit::x86::ptr(mask_label_));
}

void SimdEmitter::load_masked(int reg, const Mem& from) {
  if (isa_.has_opmask) {
    assembler_.k(asmjit::x86::k1).z();
    load(reg, from);
    return;
  }
  TRIODE_EMIT(vmaskmovps, vmaskmovpd, vec(reg), vec(mask_reg_), from);
}

void SimdEmitter::store_masked(const Mem& to, int reg) {
  if (isa_.has_opmask) {
    assembler_.k(asmjit::x86::k1);
    store(to, reg);
    return;
  }
  TRIODE_EMIT(vmaskmovps, vmaskmovpd, to, vec(mask_reg_), vec(reg));
}

void SimdEmitter::store_split(const Mem& to, int reg, int lanes) {
  assert(isa_.vector_bytes == 32 && reg < 16);
  int64_t bytes = lanes * element_bytes_;
  Mem at = to;
  if (bytes >= 16) {
    assembler_.vmovups(at, low(reg));
    at.addOffset(16);
    bytes -= 16;
    if (bytes > 0) assembler_.vextractf128(low(reg), half(reg), 1);
  }
  if (bytes >= 8) {
    assembler_.vmovlps(at, low(reg));
    at.addOffset(8);
    bytes -= 8;
    if (bytes > 0) assembler_.vmovhlps(low(reg), low(reg), low(reg));
  }
  if (bytes > 0) assembler_.vmovss(at, low(reg));
}

void SimdEmitter::fold(int to, int reg, int bytes, int temporary) {
  if (bytes == 64) {
    assembler_.vextractf64x4(half(temporary), asmjit::x86::zmm(static_cast<uint32_t>(reg)), 1);
    TRIODE_EMIT(vaddps, vaddpd, half(to), half(reg), half(temporary));
    return;
  }
  if (isa_.has_opmask) {
    assembler_.vextractf32x4(low(temporary), half(reg), 1);
  } else {
    assembler_.vextractf128(low(temporary), half(reg), 1);
  }
  TRIODE_EMIT(vaddps, vaddpd, low(to), low(reg), low(temporary));
}

void SimdEmitter::sum_lanes(int reg, int temporary) {
  for (int bytes = isa_.vector_bytes; bytes > 16; bytes /= 2) fold(reg, reg, bytes, temporary);
  if (is_double()) {
    assembler_.vpermilpd(low(temporary), low(reg), 1);
    assembler_.vaddsd(low(reg), low(reg), low(temporary));
    return;
  }
  assembler_.vpermilps(low(temporary), low(reg), 0b01'00'11'10);
  assembler_.vaddps(low(reg), low(reg), low(temporary));
  assembler_.vpermilps(low(temporary), low(reg), 0b00'00'00'01);
  assembler_.vaddss(low(reg), low(reg), low(temporary));
}

void SimdEmitter::sum_lanes_of_four(int regs, int temporary) {
  assert(regs + 3 < 16 && "horizontal adds have no name for registers above 15");
  if (isa_.vector_bytes == 64) {
    for (int i = 0; i < 4; ++i) fold(regs + i, regs + i, 64, temporary);
  }
  const auto y0 = half(regs), y1 = half(regs + 1), y2 = half(regs + 2), y3 = half(regs + 3);
  if (!is_double()) {
    assembler_.vhaddps(y0, y0, y1);
    assembler_.vhaddps(y2, y2, y3);
    assembler_.vhaddps(y0, y0, y2);
    fold(regs, regs, 32, temporary);
    return;
  }
  // Lanes after the adds: y0 = {0, 1 | 0, 1}, y2 = {2, 3 | 2, 3}, each half a partial sum.
  assembler_.vhaddpd(y0, y0, y1);
  assembler_.vhaddpd(y2, y2, y3);
  assembler_.vperm2f128(y1, y0, y2, 0x20);
  assembler_.vperm2f128(y3, y0, y2, 0x31);
  assembler_.vaddpd(y0, y1, y3);
}

void SimdEmitter::store_piece(const Mem& to, int reg, Piece piece) {
  if (piece == Piece::kOne) {
    TRIODE_EMIT(vmovss, vmovsd, to, low(reg));
  } else if (is_double()) {
    assembler_.vmovupd(to, half(reg));
  } else {
    assembler_.vmovups(to, low(reg));
  }
}

void SimdEmitter::load_piece(int reg, const Mem& from, Piece piece) {
  if (piece == Piece::kOne) {
    TRIODE_EMIT(vmovss, vmovsd, low(reg), from);
  } else if (is_double()) {
    assembler_.vmovupd(half(reg), from);
  } else {
    assembler_.vmovups(low(reg), from);
  }
}

void SimdEmitter::multiply_piece(int reg, const Mem& by, Piece piece) {
  if (piece == Piece::kOne) {
    TRIODE_EMIT(vmulss, vmulsd, low(reg), low(reg), by);
  } else if (is_double()) {
    assembler_.vmulpd(half(reg), half(reg), by);
  } else {
    assembler_.vmulps(low(reg), low(reg), by);
  }
}

void SimdEmitter::add_piece(int reg, int other, Piece piece) {
  if (piece == Piece::kOne) {
    TRIODE_EMIT(vaddss, vaddsd, low(reg), low(reg), low(other));
  } else if (is_double()) {
    assembler_.vaddpd(half(reg), half(reg), half(other));
  } else {
    assembler_.vaddps(low(reg), low(reg), low(other));
  }
}

#undef TRIODE_EMIT

void SimdEmitter::advance(const asmjit::x86::Gp& reg, int64_t bytes) {
  if (bytes == 0) return;
  if (bytes == 128) {
    assembler_.sub(reg, -128);  // fits a byte, where +128 does not
  } else if (fits_instruction(bytes)) {
    assembler_.add(reg, static_cast<int32_t>(bytes));
  } else {
    assembler_.mov(registers::kScratch, bytes);
    assembler_.add(reg, registers::kScratch);
  }
}

Mem SimdEmitter::address(const asmjit::x86::Gp& base, int64_t offset_bytes) {
  if (!fits_instruction(offset_bytes)) offsets_fit_ = false;
  return asmjit::x86::ptr(base, static_cast<int32_t>(offset_bytes));
}

void SimdEmitter::embed_constants() {
  if (!mask_label_.isValid()) return;
  assembler_.align(asmjit::AlignMode::kData, 32);
  assembler_.bind(mask_label_);
  std::array<int32_t, kMaskTableLanes> table{};
  const auto words = static_cast<size_t>(mask_lanes_ * element_bytes_ / 4);
  for (size_t i = 0; i < words; ++i) table[i] = -1;
  assembler_.embed(table.data(), sizeof table);
}

}  // namespace triode::x86
