// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>

#include "tests/virtual_gpu/decoder.h"

namespace triode::vgpu {
namespace {

using Special = SpecialRegister;

const std::map<std::string, Special, std::less<>>& special_names() {
  static const std::map<std::string, Special, std::less<>> names = {
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneId},
      {"%warpid", Special::kWarpId},
      {"%nwarpid", Special::kNwarpId},
      {"%lanemask_eq", Special::kLaneMaskEq},
      {"%lanemask_lt", Special::kLaneMaskLt},
      {"%lanemask_le", Special::kLaneMaskLe},
      {"%lanemask_gt", Special::kLaneMaskGt},
      {"%lanemask_ge", Special::kLaneMaskGe},
  };
  return names;
}

uint32_t align_up(uint64_t value, uint64_t alignment) {
  return static_cast<uint32_t>((value + alignment - 1) / alignment * alignment);
}

class ProgramBuilder : public OperandResolver {
 public:
  explicit ProgramBuilder(const Entry& entry) : entry_(entry) {}

  Program build(const PtxModule& module) {
    place_variables(module.variables);
    place_variables(entry_.variables);
    // Dynamic shared memory follows the static, at the strictest alignment that may be asked for.
    for (const Variable* variable : dynamic_) {
      program_.static_shared_bytes = align_up(program_.static_shared_bytes, variable->alignment);
    }
    for (const Variable* variable : dynamic_) {
      symbols_[variable->name] = program_.static_shared_bytes;
    }
    for (const Parameter& parameter : entry_.parameters) {
      symbols_[parameter.name] = parameter.offset;
    }
    for (const auto& [name, bits] : entry_.registers) registers_[name] = allocate(bits);
    for (const Statement& statement : entry_.body) add(statement);
    Instruction end;
    end.flow = Flow::kExit;
    end.line = entry_.body.empty() ? 0 : entry_.body.back().line;
    program_.code.push_back(end);
    program_.local_bytes = align_up(program_.local_bytes, 16);
    write_image();
    return std::move(program_);
  }

  Register find(const Operand& operand) override {
    if (operand.kind == Operand::Kind::kSymbol && operand.name == "_") return allocate(64);
    if (operand.kind != Operand::Kind::kRegister) fail("a register is missing");
    auto found = registers_.find(operand.name);
    if (found == registers_.end()) {
      found = registers_.emplace(operand.name, special(operand.name)).first;
    }
    Register result = found->second;
    result.negated = operand.negated;
    return result;
  }

  Register source(const Operand& operand, ValueType type) override {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return of_width(operand, type.bits);
      case Operand::Kind::kSymbol: {
        const auto symbol = symbols_.find(operand.name);
        if (symbol == symbols_.end()) fail("there is no \"" + operand.name + "\"");
        return constant(symbol->second, type.bits);
      }
      case Operand::Kind::kImmediate:
        return constant(immediate_bits(operand, type), type.bits);
      default:
        fail("a register or a number is missing");
    }
  }

  Register constant(uint64_t value, int bits) override {
    if (bits < 64) value &= (uint64_t{1} << bits) - 1;
    const auto [found, is_new] = constants_.try_emplace({bits, value});
    if (is_new) found->second = allocate(bits);
    return found->second;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw PtxError(line_, what); }

  void place_variables(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) {
      if (variable.is_extern) {
        dynamic_.push_back(&variable);
        continue;
      }
      uint32_t& end = variable.is_local ? program_.local_bytes : program_.static_shared_bytes;
      const uint32_t begin = align_up(end, variable.alignment);
      symbols_[variable.name] = begin;
      end = begin + static_cast<uint32_t>(variable.size_bytes);
    }
  }

  void add(const Statement& statement) {
    line_ = statement.line;
    Instruction instruction = decode(statement, *this);
    if (!statement.guard.empty()) {
      instruction.is_guarded = true;
      instruction.guard = registers_.at(statement.guard);
      instruction.guard.negated = statement.guard_negated;
      if (instruction.guard.bits != 1) fail("the guard is not a predicate");
    }
    program_.code.push_back(std::move(instruction));
  }

  Register of_width(const Operand& operand, int bits) {
    const Register found = find(operand);
    const int expected = bits == 8 ? 16 : bits;  // registers have 16 bits or more
    if (found.bits != expected) {
      fail(operand.name + " has " + std::to_string(found.bits) + " bits where " +
           std::to_string(expected) + " are read");
    }
    return found;
  }

  static uint64_t immediate_bits(const Operand& operand, ValueType type) {
    if (operand.literal == Operand::Literal::kFloat64 && type.kind == ValueType::Kind::kFloat &&
        type.bits == 32) {
      return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    }
    return operand.bits;
  }

  Register allocate(int bits) {
    if (bits == 8) bits = 16;
    const uint32_t size = bits == 1 ? 4 : static_cast<uint32_t>(kLanes * bits / 8);
    used_bytes_ = align_up(used_bytes_, std::min(size, 64u));
    const Register result{used_bytes_, static_cast<uint16_t>(bits), false};
    used_bytes_ += size;
    return result;
  }

  Register special(const std::string& name) {
    const auto found = special_names().find(name);
    if (found == special_names().end()) fail("unknown register \"" + name + "\"");
    const Register result = allocate(32);
    program_.specials.emplace_back(found->second, result);
    return result;
  }

  void write_image() {
    program_.image.resize((used_bytes_ + 7) / 8);
    auto* image = reinterpret_cast<std::byte*>(program_.image.data());
    for (const auto& [key, place] : constants_) {
      const uint64_t mask = key.second != 0 ? kAllLanes : 0;
      const uint64_t value = place.bits == 1 ? mask : key.second;
      const size_t size = place.bits == 1 ? 4 : place.bits / 8;
      const size_t copies = place.bits == 1 ? 1 : kLanes;
      for (size_t i = 0; i < copies; ++i) {
        std::memcpy(image + place.offset + i * size, &value, size);
      }
    }
  }

  const Entry& entry_;
  Program program_;
  int line_ = 0;  // of the statement being decoded
  uint32_t used_bytes_ = 0;
  std::map<std::string, Register, std::less<>> registers_;
  std::map<std::string, uint64_t, std::less<>> symbols_;
  std::map<std::pair<int, uint64_t>, Register> constants_;
  std::vector<const Variable*> dynamic_;
};

}  // namespace

Program build_program(const PtxModule& module, const Entry& entry) {
  return ProgramBuilder(entry).build(module);
}

}  // namespace triode::vgpu
