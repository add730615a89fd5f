// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

#include <cstdint>

#include "core/dtype.h"
#include "jit/x86/vector_isa.h"

namespace triode::x86 {

// Vector instructions of one width and one element type (f32 or f64). Registers are numbers below
// isa().register_count; the width decides what they are called. Knows nothing of matrices.
// One mask is kept at a time: set_mask() says which lanes take part in the masked instructions.
class SimdEmitter {
 public:
  SimdEmitter(asmjit::x86::Assembler& assembler, const VectorIsa& isa, DType dtype);

  asmjit::x86::Assembler& assembler() { return assembler_; }
  const VectorIsa& isa() const { return isa_; }
  int64_t element_bytes() const { return element_bytes_; }
  int32_t lanes() const { return isa_.lanes(element_bytes_); }

  void zero(int reg);
  void load(int reg, const asmjit::x86::Mem& from);
  void store(const asmjit::x86::Mem& to, int reg);
  void store_aligned(const asmjit::x86::Mem& to, int reg);
  void store_streaming(const asmjit::x86::Mem& to, int reg);
  void broadcast(int reg, const asmjit::x86::Mem& element);
  void multiply(int reg, const asmjit::x86::Mem& by);
  void copy(int to, int from);
  void add(int reg, int other);
  void add(int reg, const asmjit::x86::Mem& other);
  void fma(int sum, int x, int y);
  void fma(int sum, int x, const asmjit::x86::Mem& y);
  // sum += x * (one element of memory in every lane). Only where the isa has opmasks.
  void fma_element(int sum, int x, const asmjit::x86::Mem& element);

  // Makes the first `lanes` lanes the masked ones. Without opmasks the mask occupies `reg` from
  // here on.
  void set_mask(int lanes, int reg);
  void load_masked(int reg,
                   const asmjit::x86::Mem& from);  // the other lanes become 0 and are not read
  void store_masked(const asmjit::x86::Mem& to, int reg);
  // Stores the first `lanes` lanes by plain stores of falling width; `reg` is lost. Width 32 bytes
  // only.
  void store_split(const asmjit::x86::Mem& to, int reg, int lanes);

  // Sums the lanes of `reg` into lane 0 of the same register; `temporary` is lost.
  void sum_lanes(int reg, int temporary);
  // Sums the lanes of four registers `regs` to `regs + 3`, all below 16, into lanes 0..3 of `regs`.
  void sum_lanes_of_four(int regs, int temporary);

  // One element, or four (a row piece of c after sum_lanes): loads, stores and arithmetic on them.
  // Memory operands of multiply and add are read whole, and so must hold that many elements.
  enum class Piece { kOne, kFour };
  void store_piece(const asmjit::x86::Mem& to, int reg, Piece piece);
  void load_piece(int reg, const asmjit::x86::Mem& from, Piece piece);
  void multiply_piece(int reg, const asmjit::x86::Mem& by, Piece piece);
  void add_piece(int reg, int other, Piece piece);

  // Whether an instruction can hold the number: 32 bits with sign.
  static bool fits_instruction(int64_t number) { return number == static_cast<int32_t>(number); }

  // Adds any 64-bit number to a general register, by the scratch register if it must: if the number
  // does not fit an instruction.
  void advance(const asmjit::x86::Gp& reg, int64_t bytes);

  // Memory at a constant distance from a register.
  asmjit::x86::Mem address(const asmjit::x86::Gp& base, int64_t offset_bytes);
  // False once an offset did not fit the 32 bits of an instruction: the code is then useless.
  bool offsets_fit() const { return offsets_fit_; }

  // Code that runs what `body` emits `count` times; plain code if that is once.
  template <typename Body>
  void repeat(const asmjit::x86::Gp& counter, int64_t count, const Body& body) {
    if (count == 1) {
      body();
      return;
    }
    const asmjit::Label top = assembler_.newLabel();
    assembler_.mov(counter, count);
    assembler_.align(asmjit::AlignMode::kCode, kLoopAlignment);
    assembler_.bind(top);
    body();
    assembler_.dec(counter);
    assembler_.jnz(top);
  }

  // Constants the code refers to; call once, after the last instruction.
  void embed_constants();

 private:
  static constexpr uint32_t kLoopAlignment = 32;  // a line of the decoded-instruction cache

  asmjit::x86::Vec vec(int reg) const;
  asmjit::x86::Xmm low(int reg) const { return asmjit::x86::xmm(static_cast<uint32_t>(reg)); }
  asmjit::x86::Ymm half(int reg) const { return asmjit::x86::ymm(static_cast<uint32_t>(reg)); }
  bool is_double() const { return element_bytes_ == 8; }
  // Folds the upper half of `reg` onto the lower, from `bytes` wide to half of that.
  void fold(int to, int reg, int bytes, int temporary);

  asmjit::x86::Assembler& assembler_;
  const VectorIsa& isa_;
  int64_t element_bytes_;
  asmjit::Label mask_label_;
  int mask_lanes_ = 0;
  int mask_reg_ = -1;
  bool offsets_fit_ = true;
};

}  // namespace triode::x86
