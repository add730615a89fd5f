// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triode {

// One instruction in Intel's notation.
struct Instruction {
  std::string mnemonic;
  std::string operands;
};

// The instructions from the first byte up to the first `ret`, that one included (constants follow
// it), as binutils' objdump reads them: a judge that knows nothing of asmjit. Empty if objdump
// cannot be run or finds no `ret`.
std::vector<Instruction> disassemble(std::span<const uint8_t> code);

// Instructions whose mnemonic begins with `mnemonic`.
int64_t count_mnemonic(const std::vector<Instruction>& code, std::string_view mnemonic);

// The first instruction whose text matches the (extended POSIX) regular expression, or an empty
// string.
std::string find_text(const std::vector<Instruction>& code, const std::string& expression);

}  // namespace triode
