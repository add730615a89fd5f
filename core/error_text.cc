// SPDX-License-Identifier: Apache-2.0
#include "core/error_text.h"

#include <algorithm>
#include <cstddef>

namespace triode {
namespace {

// Long enough for any token we print ourselves; a whole file pasted by mistake stays one line.
constexpr size_t kMaxQuoted = 40;

// The longest lists of values in our spaces are shorter; beyond it nobody reads on.
constexpr size_t kMaxAlternatives = 16;

void append_printable(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (c >= ' ' && c <= '~') {
    out += c;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kMaxQuoted)) append_printable(c, out);
  if (text.size() > kMaxQuoted) out += "...";
  out += '"';
  return out;
}

std::string one_of(std::span<const std::string_view> alternatives) {
  const size_t left_out = alternatives.size() - std::min(alternatives.size(), kMaxAlternatives);
  const size_t shown = alternatives.size() - left_out;
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) out += (i + 1 == shown && left_out == 0) ? " or " : ", ";
    out += alternatives[i];
  }
  if (left_out > 0) out += " or one of " + std::to_string(left_out) + " more";
  return out;
}

}  // namespace triode
