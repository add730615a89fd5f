// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/virtual_gpu/instruction.h"
#include "tests/virtual_gpu/ptx_module.h"
#include "tests/virtual_gpu/value_type.h"

namespace triode::vgpu {

// Where the operands of the program being built live.
class OperandResolver {
 public:
  virtual ~OperandResolver() = default;
  // A register, at the width it was declared with.
  virtual Register find(const Operand& operand) = 0;
  // A register, immediate or symbol, to be read as `type`.
  virtual Register source(const Operand& operand, ValueType type) = 0;
  // A register that always holds `value`.
  virtual Register constant(uint64_t value, int bits) = 0;
};

// Turns one statement into an instruction, operand by operand. Each adds its registers in the order
// in which it is called. Throws PtxError for what the statement lacks or the virtual GPU does not
// know: nothing is ever passed over.
class Decoder {
 public:
  Decoder(const Statement& statement, OperandResolver& resolver);

  const Statement& statement() const { return statement_; }
  bool has(std::string_view modifier) const { return statement_.has(modifier); }
  size_t operand_count() const { return statement_.operands.size(); }
  const Operand& operand(size_t index) const;
  // The types among the modifiers; type() is the last.
  const std::vector<ValueType>& types() const { return types_; }
  ValueType type() const;
  StateSpace space() const;

  // `bits` 0: whatever the register was declared with.
  void add_destination(size_t index, int bits = 0);
  // The q of "p|q"; an empty register if there is none.
  void add_second_destination(size_t index);
  void add_source(size_t index, ValueType type);
  void add_sources(size_t first, int count, ValueType type);
  // The registers of "{a, b}", or of a lone one, and how many there are.
  uint32_t add_vector(size_t index);
  uint32_t add_vector_source(size_t index, ValueType type);
  void add_constant(uint64_t value, int bits);
  // The base of an address; returns the offset.
  int64_t add_address(size_t index);

  uint32_t immediate(size_t index) const;
  // The value of the first name that is among the modifiers.
  uint32_t choose(std::initializer_list<std::pair<std::string_view, uint32_t>> choices) const;
  // Null means that there is none for this type.
  void execute_with(Handler handler);
  void require(bool holds, const char* what) const;
  [[noreturn]] void fail(const std::string& why) const;

  Instruction instruction;

 private:
  const Statement& statement_;
  OperandResolver& resolver_;
  std::vector<ValueType> types_;
};

using DecodeTable = std::map<std::string, std::function<void(Decoder&)>, std::less<>>;

// The groups of instructions, each in a file of its own.
void add_arithmetic_instructions(DecodeTable& table);
void add_bit_instructions(DecodeTable& table);
void add_predicate_instructions(DecodeTable& table);
void add_move_instructions(DecodeTable& table);
void add_conversion_instructions(DecodeTable& table);
void add_memory_instructions(DecodeTable& table);
void add_async_copy_instructions(DecodeTable& table);
void add_matrix_instructions(DecodeTable& table);
void add_warp_instructions(DecodeTable& table);
void add_control_instructions(DecodeTable& table);

Instruction decode(const Statement& statement, OperandResolver& resolver);

}  // namespace triode::vgpu
