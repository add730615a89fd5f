// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/ptx_body_parser.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "tests/virtual_gpu/ptx_entry_parser.h"
#include "tests/virtual_gpu/value_type.h"

namespace triode::vgpu {

bool Statement::has(std::string_view modifier) const {
  return std::find(words.begin() + 1, words.end(), modifier) != words.end();
}

std::string Statement::opcode() const {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ".") + word;
  return joined;
}

namespace {

constexpr size_t kMostRegisters = 1u << 20;

std::vector<std::string> split_at_dots(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

class BodyParser {
 public:
  BodyParser(TokenStream& in, Entry& entry) : in_(in), entry_(entry) {}

  void run() {
    in_.expect("{");
    open_scope();
    while (scope_ >= 0) parse_item();
    for (size_t i = 0; i < entry_.body.size(); ++i) {
      if (entry_.body[i].words[0] == "bra") resolve(entry_.body[i], scope_of_[i]);
    }
  }

 private:
  // Names belong to the braces they are declared in.
  struct Scope {
    int parent;
    std::map<std::string, std::string, std::less<>> registers;  // as written to as stored
    std::map<std::string, int, std::less<>> labels;
  };

  Scope& scope() { return scopes_[static_cast<size_t>(scope_)]; }

  void open_scope() {
    scopes_.push_back({scope_, {}, {}});
    scope_ = static_cast<int>(scopes_.size()) - 1;
  }

  void parse_item() {
    if (in_.accept("{")) {
      open_scope();
    } else if (in_.accept("}")) {
      scope_ = scope().parent;
    } else if (in_.accept(";")) {
      return;
    } else if (in_.accept(".reg")) {
      parse_registers();
    } else if (in_.accept(".shared")) {
      entry_.variables.push_back(parse_variable(in_));
    } else if (in_.accept(".local")) {
      entry_.variables.push_back(parse_variable(in_));
      entry_.variables.back().is_local = true;
    } else if (in_.accept(".pragma")) {
      in_.next();
      in_.expect(";");
    } else if (in_.peek(1) == ":") {
      scope().labels[std::string(in_.next())] = static_cast<int>(entry_.body.size());
      in_.next();
    } else {
      parse_statement();
    }
  }

  void resolve(Statement& branch, int scope) {
    if (branch.operands.size() != 1) throw PtxError(branch.line, "bra takes one label");
    const std::string& name = branch.operands[0].name;
    for (; scope >= 0; scope = scopes_[static_cast<size_t>(scope)].parent) {
      const auto& labels = scopes_[static_cast<size_t>(scope)].labels;
      if (const auto found = labels.find(name); found != labels.end()) {
        branch.target = found->second;
        return;
      }
    }
    throw PtxError(branch.line, "there is no label \"" + name + "\"");
  }

  void declare(const std::string& name, int bits) {
    if (entry_.registers.size() >= kMostRegisters) in_.fail("too many registers");
    const std::string stored = scope_ == 0 ? name : name + '#' + std::to_string(scope_);
    scope().registers[name] = stored;
    entry_.registers[stored] = bits;
  }

  void parse_registers() {
    const std::string type(in_.next());
    const int bits = parse_value_type(std::string_view(type).substr(1)).bits;
    if (bits == 0) in_.fail("unknown register type \"" + type + "\"");
    do {
      const std::string name(in_.next());
      if (in_.accept("<")) {
        const uint64_t count = in_.number();
        in_.expect(">");
        for (uint64_t i = 0; i < count; ++i) declare(name + std::to_string(i), bits);
      } else {
        declare(name, bits);
      }
    } while (in_.accept(","));
    in_.expect(";");
  }

  const std::string* find_register(std::string_view name) const {
    for (int at = scope_; at >= 0; at = scopes_[static_cast<size_t>(at)].parent) {
      const auto& registers = scopes_[static_cast<size_t>(at)].registers;
      if (const auto found = registers.find(name); found != registers.end()) return &found->second;
    }
    return nullptr;
  }

  void parse_statement() {
    Statement statement;
    if (in_.accept("@")) {
      statement.guard_negated = in_.accept("!");
      const std::string* guard = find_register(in_.next());
      if (guard == nullptr) in_.fail("the guard is not a declared predicate");
      statement.guard = *guard;
    }
    statement.line = in_.line();
    statement.words = split_at_dots(in_.next());
    if (std::isalpha(static_cast<unsigned char>(statement.words[0][0])) == 0) {
      in_.fail("expected an instruction, got \"" + statement.opcode() + "\"");
    }
    while (!in_.accept(";")) {
      statement.operands.push_back(parse_operand());
      if (in_.peek() != ";") in_.expect(",");
    }
    entry_.body.push_back(std::move(statement));
    scope_of_.push_back(scope_);
  }

  Operand parse_operand() {
    if (in_.accept("{")) return parse_vector();
    if (in_.accept("[")) return parse_memory();
    if (in_.accept("!")) {
      Operand operand = parse_operand();
      operand.negated = true;
      return operand;
    }
    const bool is_negative = in_.accept("-");
    if (is_negative ||
        std::isdigit(static_cast<unsigned char>(in_.peek().empty() ? 0 : in_.peek()[0]))) {
      return parse_immediate(is_negative);
    }
    return parse_name();
  }

  Operand parse_vector() {
    Operand vector;
    vector.kind = Operand::Kind::kVector;
    while (!in_.accept("}")) {
      vector.elements.push_back(parse_operand());
      if (in_.peek() != "}") in_.expect(",");
    }
    return vector;
  }

  Operand parse_memory() {
    Operand memory = parse_operand();
    memory.base_is_register = memory.kind == Operand::Kind::kRegister;
    if (memory.kind == Operand::Kind::kImmediate) memory.offset = static_cast<int64_t>(memory.bits);
    memory.kind = Operand::Kind::kMemory;
    while (!in_.accept("]")) {
      if (in_.peek() == ",") in_.fail("addresses of tensor maps are not supported");
      bool is_negative = in_.accept("-");
      if (!is_negative) in_.expect("+");
      is_negative = in_.accept("-") || is_negative;
      const auto distance = static_cast<int64_t>(in_.number());
      memory.offset += is_negative ? -distance : distance;
    }
    return memory;
  }

  Operand parse_immediate(bool is_negative) {
    const std::string text(in_.peek());
    Operand operand;
    if (text.size() > 2 && text[0] == '0' &&
        std::string_view("fFdD").find(text[1]) != std::string_view::npos) {
      in_.next();
      operand.literal = text[1] == 'f' || text[1] == 'F' ? Operand::Literal::kFloat32
                                                         : Operand::Literal::kFloat64;
      operand.bits = std::strtoull(text.c_str() + 2, nullptr, 16);
      return operand;
    }
    operand.bits = in_.number();
    if (is_negative) operand.bits = 0 - operand.bits;
    return operand;
  }

  Operand parse_name() {
    const std::string name(in_.next());
    Operand operand;
    if (const std::string* stored = find_register(name)) {
      operand.kind = Operand::Kind::kRegister;
      operand.name = *stored;
    } else {
      operand.kind = name[0] == '%' ? Operand::Kind::kRegister : Operand::Kind::kSymbol;
      operand.name = name;
    }
    if (in_.accept("|")) operand.elements.push_back(parse_operand());
    return operand;
  }

  TokenStream& in_;
  Entry& entry_;
  std::vector<Scope> scopes_;
  std::vector<int> scope_of_;  // of each statement
  int scope_ = -1;
};

}  // namespace

void parse_body(TokenStream& in, Entry& entry) {
  BodyParser(in, entry).run();
}

}  // namespace triode::vgpu
