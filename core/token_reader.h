// SPDX-License-Identifier: Apache-2.0
// Internal to core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode {

// A piece of a text, and where it stands. Views the text, which must outlive it.
struct Token {
  std::string_view text;
  size_t column = 1;  // of its first byte; the first column is 1
};

// The parts between separators, each with its own column; one more than there are separators.
std::vector<Token> split(const Token& token, char separator);

// `name=value` in two, at the first '='; the second has no value if there is none.
struct Assignment {
  Token name;
  std::optional<Token> value;
};
Assignment split_assignment(const Token& token);

// Cuts a text at white space, and words the errors that point into it.
class TokenReader {
 public:
  // `noun` says in messages what kind of text it is: "problem text".
  TokenReader(std::string_view noun, std::string_view text) : noun_(noun), text_(text) {}

  std::optional<Token> next();  // empty at the end

  // "problem text, column 8: <message>"
  Status error_at(size_t column, std::string_view message) const;
  // "problem text, column 8: "512x512" <message>"
  Status error_at(const Token& token, std::string_view message) const;
  // "problem text, column 20: the text ends <message>", one column behind its last token.
  Status error_at_end(std::string_view message) const;

  // A whole number in [0, most].
  Result<int64_t> whole_number(const Token& token, int64_t most) const;

 private:
  std::string_view noun_;
  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace triode
