// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/virtual_gpu/ptx_lexer.h"

namespace triode::vgpu {

// PTX tokens, read from front to back. Whatever does not fit throws PtxError with its line.
class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : tokens_(split_into_tokens(text)) {}

  bool at_end() const { return at_ == tokens_.size(); }
  // Of the token to come, or of the last one.
  int line() const;
  // The token to come, or the one `ahead` of it; empty past the end.
  std::string_view peek(size_t ahead = 0) const;
  std::string_view next();
  bool accept(std::string_view text);
  void expect(std::string_view text);
  // A number without sign, decimal, octal or hexadecimal.
  uint64_t number();
  void skip_braces();
  [[noreturn]] void fail(const std::string& what) const;  // blames the last token taken

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace triode::vgpu
