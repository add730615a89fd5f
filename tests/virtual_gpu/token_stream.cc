// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/token_stream.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tests/virtual_gpu/ptx_module.h"

namespace triode::vgpu {

int TokenStream::line() const {
  return tokens_.empty() ? 1 : tokens_[std::min(at_, tokens_.size() - 1)].line;
}

std::string_view TokenStream::peek(size_t ahead) const {
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
}

std::string_view TokenStream::next() {
  if (at_end()) fail("unexpected end of the text");
  return tokens_[at_++].text;
}

bool TokenStream::accept(std::string_view text) {
  if (peek() != text) return false;
  ++at_;
  return true;
}

void TokenStream::expect(std::string_view text) {
  const std::string_view got = next();
  if (got != text) {
    fail("expected \"" + std::string(text) + "\", got \"" + std::string(got) + "\"");
  }
}

uint64_t TokenStream::number() {
  const std::string text(next());
  char* end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  const bool has_suffix = *end == 'U' && end[1] == '\0';
  if (std::isdigit(static_cast<unsigned char>(text[0])) == 0 || (*end != '\0' && !has_suffix)) {
    fail("expected a number, got \"" + text + "\"");
  }
  return value;
}

void TokenStream::skip_braces() {
  expect("{");
  for (int depth = 1; depth > 0;) {
    const std::string_view text = next();
    depth += text == "{" ? 1 : 0;
    depth -= text == "}" ? 1 : 0;
  }
}

void TokenStream::fail(const std::string& what) const {
  const int line = at_ == 0 ? 1 : tokens_[at_ - 1].line;
  throw PtxError(line, what);
}

}  // namespace triode::vgpu
