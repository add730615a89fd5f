// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/ptx_lexer.h"

#include <algorithm>
#include <cctype>

#include "tests/virtual_gpu/ptx_module.h"

namespace triode::vgpu {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' ||
         c == '$';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) {
      if (!skip_blank() && !skip_comment() && !skip_debug_line()) take_token();
    }
    return std::move(tokens_);
  }

 private:
  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  bool skip_blank() {
    const char c = text_[at_];
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '\0') return false;
    if (c == '\n') {
      ++line_;
      line_is_empty_ = true;
    }
    ++at_;
    return true;
  }

  bool skip_comment() {
    if (starts_with("//")) {
      skip_line();
      return true;
    }
    if (!starts_with("/*")) return false;
    const size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) throw PtxError(line_, "a comment has no end");
    const std::string_view comment = text_.substr(at_, end - at_);
    line_ += static_cast<int>(std::count(comment.begin(), comment.end(), '\n'));
    at_ = end + 2;
    return true;
  }

  // Where a source line came from, for debuggers. Has no ';', so it must not reach the parser.
  bool skip_debug_line() {
    if (!line_is_empty_ || !(starts_with(".loc") || starts_with(".file"))) return false;
    skip_line();
    return true;
  }

  void take_token() {
    line_is_empty_ = false;
    const size_t begin = at_;
    if (text_[at_] == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) throw PtxError(line_, "a string has no end");
      at_ = end + 1;
    } else if (is_word_character(text_[at_])) {
      while (at_ < text_.size() && (is_word_character(text_[at_]) || starts_with("::"))) {
        at_ += text_[at_] == ':' ? 2 : 1;
      }
    } else {
      ++at_;
    }
    tokens_.push_back({text_.substr(begin, at_ - begin), line_});
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool line_is_empty_ = true;  // nothing but blanks so far
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> split_into_tokens(std::string_view text) {
  return Lexer(text).tokens();
}

}  // namespace triode::vgpu
