// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/decoder.h"

#include <utility>

namespace triode::vgpu {
namespace {

DecodeTable make_table() {
  DecodeTable table;
  add_arithmetic_instructions(table);
  add_bit_instructions(table);
  add_predicate_instructions(table);
  add_move_instructions(table);
  add_conversion_instructions(table);
  add_memory_instructions(table);
  add_async_copy_instructions(table);
  add_matrix_instructions(table);
  add_warp_instructions(table);
  add_control_instructions(table);
  return table;
}

}  // namespace

Decoder::Decoder(const Statement& statement, OperandResolver& resolver)
    : statement_(statement), resolver_(resolver) {
  instruction.line = statement.line;
  for (size_t i = 1; i < statement.words.size(); ++i) {
    const ValueType type = parse_value_type(statement.words[i]);
    if (type.kind != ValueType::Kind::kNone) types_.push_back(type);
  }
}

void Decoder::fail(const std::string& why) const {
  throw PtxError(statement_.line, statement_.opcode() + ": " + why);
}

void Decoder::require(bool holds, const char* what) const {
  if (!holds) fail(std::string("only ") + what + " is supported");
}

const Operand& Decoder::operand(size_t index) const {
  if (index >= operand_count()) fail("too few operands");
  return statement_.operands[index];
}

ValueType Decoder::type() const {
  if (types_.empty()) fail("no type that is known");
  return types_.back();
}

StateSpace Decoder::space() const {
  for (const std::string& word : statement_.words) {
    if (word == "global") return StateSpace::kGlobal;
    if (word == "shared" || word == "shared::cta") return StateSpace::kShared;
    if (word == "local") return StateSpace::kLocal;
    if (word == "param") return StateSpace::kParam;
    if (word == "const" || word == "shared::cluster") fail("unsupported state space");
  }
  return StateSpace::kGeneric;
}

void Decoder::add_destination(size_t index, int bits) {
  const Register found = resolver_.find(operand(index));
  if (bits != 0 && found.bits != bits) fail("the destination has the wrong width");
  instruction.registers.push_back(found);
}

void Decoder::add_second_destination(size_t index) {
  const std::vector<Operand>& second = operand(index).elements;
  instruction.registers.push_back(second.empty() ? Register{} : resolver_.find(second[0]));
}

void Decoder::add_source(size_t index, ValueType type) {
  instruction.registers.push_back(resolver_.source(operand(index), type));
}

void Decoder::add_sources(size_t first, int count, ValueType type) {
  for (int i = 0; i < count; ++i) add_source(first + static_cast<size_t>(i), type);
}

uint32_t Decoder::add_vector(size_t index) {
  const Operand& vector = operand(index);
  if (vector.kind != Operand::Kind::kVector) {
    instruction.registers.push_back(resolver_.find(vector));
    return 1;
  }
  for (const Operand& element : vector.elements) {
    instruction.registers.push_back(resolver_.find(element));
  }
  return static_cast<uint32_t>(vector.elements.size());
}

uint32_t Decoder::add_vector_source(size_t index, ValueType type) {
  const Operand& vector = operand(index);
  if (vector.kind != Operand::Kind::kVector) {
    add_source(index, type);
    return 1;
  }
  for (const Operand& element : vector.elements) {
    instruction.registers.push_back(resolver_.source(element, type));
  }
  return static_cast<uint32_t>(vector.elements.size());
}

void Decoder::add_constant(uint64_t value, int bits) {
  instruction.registers.push_back(resolver_.constant(value, bits));
}

int64_t Decoder::add_address(size_t index) {
  Operand base = operand(index);
  if (base.kind != Operand::Kind::kMemory) fail("an address is missing");
  base.kind = base.base_is_register ? Operand::Kind::kRegister : Operand::Kind::kSymbol;
  if (base.base_is_register) {
    instruction.registers.push_back(resolver_.find(base));
  } else if (base.name.empty()) {
    add_constant(0, 64);
  } else {
    instruction.registers.push_back(resolver_.source(base, kU64));
  }
  return base.offset;
}

uint32_t Decoder::immediate(size_t index) const {
  if (operand(index).kind != Operand::Kind::kImmediate) fail("an immediate is missing");
  return static_cast<uint32_t>(operand(index).bits);
}

uint32_t Decoder::choose(
    std::initializer_list<std::pair<std::string_view, uint32_t>> choices) const {
  for (const auto& [name, value] : choices) {
    if (has(name)) return value;
  }
  fail("none of the modifiers that are known");
}

void Decoder::execute_with(Handler handler) {
  if (handler == nullptr) fail("unsupported type");
  instruction.execute = handler;
}

Instruction decode(const Statement& statement, OperandResolver& resolver) {
  static const DecodeTable table = make_table();
  Decoder decoder(statement, resolver);
  const auto found = table.find(statement.words[0]);
  if (found == table.end()) decoder.fail("unsupported instruction");
  found->second(decoder);
  return std::move(decoder.instruction);
}

}  // namespace triode::vgpu
