// SPDX-License-Identifier: Apache-2.0
#include "tests/jit/disassembly.h"

#include <regex.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace triode {
namespace {

// A file of the bytes that is gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const uint8_t> bytes) {
    const int descriptor = mkstemp(path_);
    if (descriptor < 0) return;
    is_complete_ =
        write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_complete() const { return is_complete_; }
  const char* path() const { return path_; }

 private:
  char path_[64] = "/tmp/triode_disassembly_XXXXXX";
  bool is_complete_ = false;
};

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.append(buffer, size);
  pclose(pipe);
  return output;
}

// "   4:\tvmovups ymm0,YMMWORD PTR [rsi]        # 0x40" to its mnemonic and operands.
Instruction parse_line(const std::string& line, size_t tab) {
  std::istringstream text(line.substr(tab + 1, line.find('#') - tab - 1));
  Instruction instruction;
  text >> instruction.mnemonic >> std::ws;
  std::getline(text, instruction.operands);
  const size_t last = instruction.operands.find_last_not_of(' ');
  instruction.operands.resize(last == std::string::npos ? 0 : last + 1);
  return instruction;
}

}  // namespace

std::vector<Instruction> disassemble(std::span<const uint8_t> code) {
  const TemporaryFile file(code);
  if (!file.is_complete()) return {};
  std::istringstream lines(
      output_of(std::string("objdump -D -b binary -mi386:x86-64 -M intel --no-show-raw-insn ") +
                file.path()));
  std::vector<Instruction> instructions;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find(":\t");
    if (tab == std::string::npos) continue;
    instructions.push_back(parse_line(line, tab + 1));
    if (instructions.back().mnemonic == "ret") return instructions;
  }
  return {};
}

int64_t count_mnemonic(const std::vector<Instruction>& code, std::string_view mnemonic) {
  return std::ranges::count_if(code, [&](const Instruction& instruction) {
    return instruction.mnemonic.starts_with(mnemonic);
  });
}

std::string find_text(const std::vector<Instruction>& code, const std::string& expression) {
  // POSIX's, since std::regex does not compile without warnings under the sanitizers of GCC 12.
  regex_t pattern;
  if (regcomp(&pattern, expression.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    return "not a regular expression: " + expression;
  }
  std::string found;
  for (const Instruction& instruction : code) {
    const std::string text = instruction.mnemonic + " " + instruction.operands;
    if (regexec(&pattern, text.c_str(), 0, nullptr, 0) != 0) continue;
    found = text;
    break;
  }
  regfree(&pattern);
  return found;
}

}  // namespace triode
