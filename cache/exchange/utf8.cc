// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/utf8.h"

namespace triode::exchange {
namespace {

// What the first byte of a character promises.
struct FirstByte {
  size_t length;
  uint32_t bits;   // its share of the code
  uint32_t least;  // code of the shortest character that needs this length
};

FirstByte first_byte(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, byte & 0x1FU, 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, byte & 0x0FU, 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, byte & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

size_t utf8_length_at(std::string_view text, size_t position) {
  if (position >= text.size()) return 0;
  const FirstByte first = first_byte(static_cast<unsigned char>(text[position]));
  if (first.length == 0 || position + first.length > text.size()) return 0;
  uint32_t code = first.bits;
  for (size_t i = 1; i < first.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  const bool is_scalar = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_scalar && code >= first.least ? first.length : 0;
}

bool is_utf8(std::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    const size_t length = utf8_length_at(text, position);
    if (length == 0) return false;
    position += length;
  }
  return true;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto rest = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

uint32_t utf8_code_at(std::string_view text, size_t position) {
  const FirstByte first = first_byte(static_cast<unsigned char>(text[position]));
  uint32_t code = first.bits;
  for (size_t i = 1; i < first.length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[position + i]) & 0x3FU);
  }
  return code;
}

}  // namespace triode::exchange
