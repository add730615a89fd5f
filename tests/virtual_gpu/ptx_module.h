// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace triode::vgpu {

// Why a text cannot be run: the message starts with the line, "ptx line 12: ...". Thrown and caught
// inside the virtual GPU; its public functions return a Status.
struct PtxError : std::runtime_error {
  PtxError(int line, const std::string& what)
      : std::runtime_error("ptx line " + std::to_string(line) + ": " + what) {}
};

// What stands between the commas of an instruction.
struct Operand {
  enum class Kind : uint8_t { kRegister, kImmediate, kSymbol, kVector, kMemory };
  enum class Literal : uint8_t { kInteger, kFloat32, kFloat64 };

  Kind kind = Kind::kImmediate;
  Literal literal = Literal::kInteger;  // how an immediate was written
  bool base_is_register = false;        // of a kMemory
  bool negated = false;                 // "!%p"
  std::string name;    // of a register, a symbol, or the base of memory (empty: a number)
  uint64_t bits = 0;   // of an immediate: two's complement or IEEE
  int64_t offset = 0;  // of memory
  std::vector<Operand> elements;  // of a vector; the q of "%p|%q" of a register
};

struct Statement {
  int line = 0;
  std::string guard;  // predicate register, or empty
  bool guard_negated = false;
  std::vector<std::string> words;  // "ld.global.v4.b32" is {"ld", "global", "v4", "b32"}
  std::vector<Operand> operands;
  int target = -1;  // of a branch: index of a statement

  bool has(std::string_view modifier) const;
  std::string opcode() const;  // the words, joined again
};

// A variable in .shared or .local memory.
struct Variable {
  std::string name;
  bool is_local = false;
  bool is_extern = false;  // begins where static shared memory ends
  uint64_t size_bytes = 0;
  uint64_t alignment = 1;
};

struct Parameter {
  std::string name;
  uint32_t size_bytes = 0;
  uint32_t alignment = 1;
  uint32_t offset = 0;
};

// One kernel.
struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  std::array<uint32_t, 3> required_threads = {0, 0, 0};  // .reqntid; zeros: any
  uint32_t most_threads = 0;                             // .maxntid; 0: any
  std::map<std::string, int> registers;                  // name to width in bits, 1 for predicates
  std::vector<Variable> variables;
  std::vector<Statement> body;
};

struct PtxModule {
  std::string version;
  std::string target;
  std::vector<Variable> variables;
  std::vector<Entry> entries;
};

}  // namespace triode::vgpu
